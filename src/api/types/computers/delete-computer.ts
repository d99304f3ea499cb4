// Written by `npm run gen` from the table in src/api/endpoints/.

export interface DeleteComputerResponse {
  /** Set if the first response was lost and a retry found nothing left to delete. */
  replayed?: true
}
