package main

import "github.com/kcfg-go/kcfg/sensitive"

// settings is what the application was started with.
type settings struct {
	Release  string
	Region   string
	Workers  string
	Registry string // a URL, with or without a user in it

	// Secrets have a type that prints as [redacted].
	DBPassword sensitive.Secret
	APIKey     sensitive.Secret
}

// load stands for reading a file or the environment.
func load() settings {
	return settings{
		Release:    "1.4.2",
		Region:     "north",
		Workers:    "16",
		Registry:   "https://alice:wonder@registry.internal",
		DBPassword: sensitive.NewSecret("wonder"),
		APIKey:     sensitive.NewSecret("wonder"),
	}
}

// configs is everything that the application might tell its cluster, each key
// with the type that its value has. It may name secrets: those stay. That they
// do is tested next door.
func configs(s settings) []sensitive.Entry {
	return []sensitive.Entry{
		{Key: "orders.release", Value: s.Release, Type: sensitive.String},
		{Key: "orders.region", Value: s.Region, Type: sensitive.String},
		{Key: "orders.workers", Value: s.Workers, Type: sensitive.Int},
		{Key: "orders.registry.url", Value: s.Registry, Type: sensitive.String},
		{Key: "orders.db.password", Value: s.DBPassword.Reveal(), Type: sensitive.Password},
		{Key: "orders.apiKey", Value: s.APIKey.Reveal(), Type: sensitive.String},
	}
}
