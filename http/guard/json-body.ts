import express, { type RequestHandler } from 'express';
import { limits } from '#src/contracts/fields.ts';
import { AppError } from '#src/domain/app-error.ts';

/** Not strict: a text or a number is valid JSON, and the row's own check says what is wrong with it. */
const parse = express.json({ limit: limits.jsonBodyBytes, strict: false });

/** JSON bodies only: anything else is `request.media_type`, before it is read. */
export const jsonBody: RequestHandler = (request, response, next) => {
  if (request.is('application/json') === false) {
    next(new AppError('request.media_type', 'Send Content-Type: application/json.'));
    return;
  }
  parse(request, response, next);
};
