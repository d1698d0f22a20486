"""The tablet: what an inspector carries onto the site. Needs no network to inspect, sign or post."""
