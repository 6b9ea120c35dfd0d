# refused: another client made tea cost 4; 2 s later it is still b'3'
def price_reader(r):
    known = {}

    def price(product):
        if product not in known:
            known[product] = r.get(f"exercise:price:{product}")
        return known[product]

    return price


lab.check("09.3", price_reader)
