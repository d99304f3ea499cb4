import * as z from 'zod'
import { once } from '../once.ts'

/** The body of every error of the `/api/v0` endpoints. */
export const ErrorBody = once(() =>
  z
    .strictObject({
      detail: z.string().describe('What went wrong, for a person'),
      status: z.number().describe('HTTP status code'),
      title: z.string().describe('Title of the HTTP status'),
      metadata: z.record(z.string(), z.unknown()).optional().describe('More about the error'),
    })
    .meta({ id: 'ErrorBody' }),
)

/**
 * The fields that any error body may have. By the public documentation, analytics sends `requestId`
 * in place of `metadata`, and the official SDK reads a lone `error`.
 */
export const AnyErrorBody = once(() =>
  z.looseObject({
    detail: z.string().optional().describe('What went wrong, for a person'),
    error: z.string().optional().describe('What went wrong, in older responses'),
    status: z.number().optional().describe('HTTP status code'),
    title: z.string().optional().describe('Title of the HTTP status'),
    metadata: z.record(z.string(), z.unknown()).optional().describe('More about the error'),
    requestId: z.string().optional().describe('ID of the request, for support'),
  }),
)
