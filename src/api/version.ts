// Written by `npm run gen` from package.json.
export const version = '0.1.0'
