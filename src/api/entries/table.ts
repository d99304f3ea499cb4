export type { Host, OperationFacts, PageStyle, RetryClass } from '../core/operation.ts'
export type { Endpoint, ErrorSource } from '../endpoints/endpoint.ts'
export { type Api, api, type EndpointTree, isEndpoint, listEndpoints } from '../endpoints/index.ts'
