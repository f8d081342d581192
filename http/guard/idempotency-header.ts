import type { Request } from 'express';
import { AppError } from '#src/domain/app-error.ts';

/** The header `Idempotency-Key` is another name of the field `idempotencyKey`; both, and different, is `request.invalid`. */
export function idempotencyHeader(request: Request): unknown {
  const header = request.headers['idempotency-key'];
  const body: unknown = request.body;
  if (header === undefined || typeof body !== 'object' || body === null) return body;
  const field = 'idempotencyKey' in body ? body.idempotencyKey : header;
  if (field !== header)
    throw new AppError(
      'request.invalid',
      'The header Idempotency-Key and the field idempotencyKey differ: send one of them.',
      {
        errors: [{ pointer: '/idempotencyKey', code: 'conflict', message: 'differs from the header Idempotency-Key' }],
      },
    );
  return { ...body, idempotencyKey: header };
}
