package sensitive

// letterSet is a set of letters, whatever their case. It spares most keys the
// comparison with words: a word that lacks a letter is not there. A digit or a
// dot counts as some letter too, so a set may have too much but never too little.
type letterSet uint64

func letter(c byte) letterSet { return 1 << ((c | 0x20) & 63) }

func lettersOf(s string) (set letterSet) {
	for i := range len(s) {
		set |= letter(s[i])
	}
	return set
}

// scan returns the letters of a key, and whether it is non-empty, printable
// ASCII without spaces.
func scan(key string) (letters letterSet, plain bool) {
	for i := range len(key) {
		c := key[i]
		if c <= ' ' || c >= 0x7f {
			return 0, false
		}
		letters |= letter(c)
	}
	return letters, key != ""
}

// nameLetters are what a name rule needs: sasl, class and classes have the
// letters of ssl too.
var nameLetters = [...]letterSet{lettersOf("ssl"), lettersOf("security")}

// wordLetters are what a word for a secret needs: password and passwd have the
// letters of pwd too, apikey and the other keys those of key, basicauth those of
// auth, and user.info those of userinfo.
var wordLetters = [...]letterSet{
	lettersOf("pwd"), lettersOf("passphrase"), lettersOf("secret"), lettersOf("credential"), lettersOf("jwt"),
	lettersOf("userinfo"), lettersOf("token"), lettersOf("key"), lettersOf("auth"),
}

func mayHoldName(letters letterSet) bool {
	return letters&nameLetters[0] == nameLetters[0] || letters&nameLetters[1] == nameLetters[1]
}

func mayHoldWord(letters letterSet) bool {
	for _, w := range wordLetters {
		if letters&w == w {
			return true
		}
	}
	return false
}
