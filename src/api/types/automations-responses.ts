// Written by `npm run gen` from the table in ../endpoints.

export {}
