package main

type doctorCommand struct{}

func (doctorCommand) Run() error { return nil }
