import express, { type RequestHandler } from 'express';
import { limits } from '#src/contracts/fields.ts';
import { Fault } from '#src/domain/fault.ts';

const parse = express.json({ limit: limits.jsonBodyBytes, strict: true });

/** JSON bodies only: anything else is `request.media_type`, before it is read. */
export const jsonBody: RequestHandler = (request, response, next) => {
  if (request.is('application/json') === false) {
    next(new Fault('request.media_type', 'Send Content-Type: application/json.'));
    return;
  }
  parse(request, response, next);
};
