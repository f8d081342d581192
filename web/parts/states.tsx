import { CircleAlert } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Problem } from '../api/problem.ts';
import { shell } from '../text/shell.ts';
import { Button } from './button.tsx';

/** Grey lines in place of what loads. They show after 150 ms, so that quick answers do not flicker. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" className="grid gap-3 py-2">
      <span className="sr-only">{shell.loading}</span>
      {isShown &&
        Array.from({ length: lines }, (_, index) => (
          <div
            key={index}
            className="h-4 animate-pulse rounded-md bg-hover"
            style={{ width: `${95 - ((index * 17) % 40)}%` }}
          />
        ))}
    </div>
  );
}

/** A list without entries: what would be here, and the next step. */
export function Empty({
  title,
  children,
  actions,
  icon,
}: {
  /** Absent where the title of the page says it. */
  readonly title?: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  readonly icon?: ReactNode;
}) {
  return (
    <div className="mx-auto grid max-w-lg justify-items-center gap-3 px-4 py-14 text-center">
      {icon !== undefined && <div className="text-muted">{icon}</div>}
      {title !== undefined && <h2>{title}</h2>}
      {children !== undefined && <div className="text-muted">{children}</div>}
      {actions !== undefined && <div className="flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

/** A failed request: the server's words, its number for support, and another attempt. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const problem = error instanceof Problem ? error : null;
  return (
    <div
      role="alert"
      className="my-2 flex flex-wrap items-start gap-3 rounded-lg border border-bad/40 bg-bad-soft px-4 py-3 text-bad"
    >
      <CircleAlert size={18} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{problem?.body.title ?? shell.errorTitle}</p>
        <p className="text-fg" dir="auto">
          {problem?.status === 403 ? `${problem.message} ${shell.forbidden}` : (problem?.message ?? String(error))}
        </p>
        {typeof problem?.requestId === 'string' && (
          <p className="text-xs text-muted">{shell.requestId(problem.requestId)}</p>
        )}
      </div>
      {onRetry !== undefined && (
        <Button size="small" onClick={onRetry}>
          {shell.retry}
        </Button>
      )}
    </div>
  );
}

/** One query with its states: loading, failed, there. Data that is there stays visible when a later request fails. */
export function Loaded<Data>({
  query,
  lines = 4,
  children,
}: {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}) {
  const retry = (): void => void query.refetch();
  if (query.data !== undefined)
    return (
      <>
        {query.error !== null && <Failure error={query.error} onRetry={retry} />}
        {children(query.data)}
      </>
    );
  return query.error === null ? <Skeleton lines={lines} /> : <Failure error={query.error} onRetry={retry} />;
}
