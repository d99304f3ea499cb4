// Written by `npm run gen` from the table in src/api/endpoints/.

export interface DeleteComputerResponse {
  /** Set if the first response was lost, and a repeat found nothing to delete any more. */
  replayed?: true
}
