"""What do the dispatch rules say of one problem, of many, of a plane of sizes, of a library?"""
