import type { Document } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';

/** The reply to a command that failed as a whole. */
export function failure(error: Error): Document {
  if (error instanceof MongoFault) {
    return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName, ...error.extra };
  }
  return { ok: 0, errmsg: `The embedded engine failed: ${error.message}`, code: 1, codeName: 'InternalError' };
}

/** One failed write within a command that goes on. Anything but a MongoDB refusal fails the whole command. */
export function writeError(index: number, error: unknown): Document {
  if (!(error instanceof MongoFault)) throw error;
  return { index, code: error.code, errmsg: error.message, ...error.extra };
}
