package parcel

// heavy is the weight in grams above which a parcel costs a surcharge.
const heavy = 20000

// Price is what it costs to send a parcel, in cents.
func Price(grams int, abroad bool) int {
	price := 399
	if grams > 1000 {
		price = 599
	}
	if grams > 5000 {
		price = 999
	}

	// Abroad everything costs twice as much.
	if abroad {
		price *= 2
	}
	if grams > heavy {
		price += 800
	}
	return price
}

// Insured is the price with an insurance of up to value cents.
func Insured(grams int, abroad bool, value int) int {
	return Price(grams, abroad) + value/100
}
