import type { Request, Response } from 'express';
import type { AppError } from '#src/domain/app-error.ts';
import type { Carried } from '#http/pages/account.ts';
import type { Entry } from '#http/pages/fields.ts';
import { sendPage, type Page } from '#http/pages/layout.ts';
import { bodyOf, type Body, type PageGuard } from '#http/pages/page-guard.ts';
import { asAppError } from '#http/problem.ts';

/** Errors that the person can correct in the form itself, and limits: sent again later, it succeeds. Throws all others. */
function entryOf(error: unknown, values: Body): { entry: Entry; appError: AppError } {
  const appError = asAppError(error);
  if (appError.row.status >= 500 && !appError.isLogged) throw error;
  const { errors, detail } = appError;
  return { entry: { values, errors, problem: errors.length > 0 ? null : detail }, appError };
}

/** Shows a form again with its errors. */
export function showAgain(
  guard: PageGuard,
  { request, response }: { readonly request: Request; readonly response: Response },
  error: unknown,
  pageOf: (entry: Entry, carried: Carried) => Page,
): void {
  const { returnTo, ...values } = bodyOf(request);
  const { entry, appError } = entryOf(error, values);
  if (appError.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(appError.retryAfterSeconds));
  const page = pageOf(entry, guard.carried(request, response, returnTo));
  sendPage(response, { ...page, status: appError.row.status });
}
