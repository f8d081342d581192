import type { Response } from 'express';

/** Aborts when the client closes the connection before the response is sent. */
export function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) gone.abort(new Error('the client went away'));
  });
  return gone.signal;
}
