import type { ErrorRequestHandler, Express } from 'express';
import { oauthPaths } from '#src/contracts/oauth.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { BaseParts } from '#http/base-app.ts';
import { problems } from '#http/problem.ts';
import { sendOAuthError } from '#http/oauth/answer.ts';
import { problemPages } from '#http/pages/page-guard.ts';

const { token, register, revoke, introspect } = oauthPaths;
const forPrograms: ReadonlySet<string> = new Set([token, register, revoke, introspect]);

/** Sends a refusal in the form that the caller expects: of OAuth, as a page, or as a problem by the handler at the end. */
function refusals(logger: Logger): ErrorRequestHandler {
  const asPage = problemPages(logger);
  const asProblem = problems(logger);
  return (error, request, response, next) => {
    if (forPrograms.has(request.path)) sendOAuthError(logger, error, response);
    else if (request.accepts(['json', 'html']) === 'html') void asPage(error, request, response, next);
    // Not by `next`, which would look at every route of the service first.
    else void asProblem(error, request, response, next);
  };
}

/** Mounts the limits for callers without a credential. Order matters: after `/health`, before everything else. */
export function mountGuard(app: Express, { strangers, logger }: BaseParts): void {
  if (strangers === undefined || strangers === null) return;
  app.use(strangers.handler, refusals(logger));
}
