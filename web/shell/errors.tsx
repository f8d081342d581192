import { Link } from '../router/link.tsx';
import type { FailureProps } from '../router/outlet.tsx';
import { Button, buttonClass } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { Problem } from '../api/problem.ts';
import { shell } from '../text/shell.ts';

/** A page that threw. Parts of an older version are gone after a deployment: one reload brings the new one. */
export function PageError({ error, reset }: FailureProps) {
  if (error instanceof Problem && error.status === 404) return <NotFound />;
  return (
    <Page title={shell.pageFailed}>
      <Failure error={error} onRetry={reset} />
      <Button onClick={() => location.reload()}>{shell.reload}</Button>
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title={shell.notFoundTitle}>
      <Empty
        actions={
          <Link to="/documents" className={buttonClass('primary')}>
            {shell.toDocuments}
          </Link>
        }
      >
        {shell.notFound}
      </Empty>
    </Page>
  );
}

const reloadedAt = 'ink.reloaded';

/** Reloads once when a part of the page is gone, which happens after a deployment. */
export function reloadAfterDeployment(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(reloadedAt) ?? 0);
    if (Date.now() - last < 60_000) return;
    event.preventDefault();
    sessionStorage.setItem(reloadedAt, String(Date.now()));
    location.reload();
  });
}
