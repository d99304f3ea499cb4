// Written by `npm run gen` from the table in src/api/endpoints/.

export interface RefreshComputerResponse {
  /** How many integrations were configured. */
  configured: number
}
