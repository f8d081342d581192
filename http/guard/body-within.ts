import type { RequestHandler } from 'express';
import { AppError } from '#src/domain/app-error.ts';
import type { LimitLog } from '#http/guard/limit-log.ts';
import { sendProblem } from '#http/problem.ts';

/** Ends requests whose body has not arrived within `ms`. For addresses that are open to everybody, whose bodies are small. */
export function bodyWithin(ms: number, log?: Pick<LimitLog, 'hit'>): RequestHandler {
  return (request, response, next) => {
    const timer = setTimeout(() => {
      if (request.complete || response.headersSent) return;
      log?.hit('time of a body', { path: request.path });
      response.setHeader('connection', 'close');
      const late = `The body did not arrive within ${ms / 1_000} s. Send it again.`;
      sendProblem(response, new AppError('request.timeout', late));
    }, ms);
    const clear = (): void => clearTimeout(timer);
    request.once('end', clear);
    response.once('close', clear);
    next();
  };
}
