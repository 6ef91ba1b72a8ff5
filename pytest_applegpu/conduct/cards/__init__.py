"""How is the feature card of a route conducted?"""
