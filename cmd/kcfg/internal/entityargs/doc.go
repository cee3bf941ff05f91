// Package entityargs understands the arguments that say whose configurations are
// meant and what is to be done to them, as kafka-configs.sh has them and in shorter
// forms. It sends nothing, and reads nothing but what it is given.
package entityargs
