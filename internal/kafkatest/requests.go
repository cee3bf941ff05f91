package kafkatest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Request is one request that a node has answered, as its request log tells.
type Request struct {
	Node      int
	Key       int16
	Name      string // as Kafka's log has it: API_VERSIONS, FETCH
	Version   int16
	ClientID  string
	Principal string // User:alice
	Listener  string // PLAINTEXT, SASL_PLAINTEXT, SSL, CONTROLLER

	// What was asked and answered, as Kafka prints it: without the records.
	Body, Response json.RawMessage
}

// Requests returns the requests with this client id, by node and in the order of
// their answers. Kafka logs a request after it sent the answer, so that who has
// the answer may have to ask again.
func (c *Cluster) Requests(clientID string) ([]Request, error) {
	id, err := json.Marshal(clientID)
	if err != nil {
		return nil, fmt.Errorf("kafkatest: client id: %w", err)
	}
	// Most lines are the brokers' own: those are not parsed.
	mark := `"clientId":` + string(id)
	var requests []Request
	err = c.scan("requests.log", func(n *node, line string) error {
		if !strings.Contains(line, mark) {
			return nil
		}
		r, err := parseRequest(line)
		if err == nil && r.ClientID == clientID {
			r.Node = n.id
			requests = append(requests, r)
		}
		return err
	})
	return requests, err
}

// parseRequest reads a line of kafka.request.logger.
func parseRequest(line string) (Request, error) {
	text, ok := strings.CutPrefix(line, "Completed request:")
	if !ok {
		return Request{}, fmt.Errorf("kafkatest: not a line of the request log: %.80q", line)
	}
	var parsed struct {
		Header struct {
			Key      int16  `json:"requestApiKey"`
			Name     string `json:"requestApiKeyName"`
			Version  int16  `json:"requestApiVersion"`
			ClientID string `json:"clientId"`
		} `json:"requestHeader"`
		Body      json.RawMessage `json:"request"`
		Response  json.RawMessage `json:"response"`
		Principal string          `json:"principal"`
		Listener  string          `json:"listener"`
	}
	if err := json.Unmarshal([]byte(text), &parsed); err != nil {
		return Request{}, fmt.Errorf("kafkatest: request log: %w: %.80q", err, line)
	}
	return Request{
		Key:       parsed.Header.Key,
		Name:      parsed.Header.Name,
		Version:   parsed.Header.Version,
		ClientID:  parsed.Header.ClientID,
		Principal: parsed.Principal,
		Listener:  parsed.Listener,
		Body:      parsed.Body,
		Response:  parsed.Response,
	}, nil
}
