import { Link } from '../../router/link.tsx';
import { Pause, Play, Radio } from 'lucide-react';
import { useEffect, useState } from 'react';
import { pagesOf, type LiveEvent } from '../../live/event.ts';
import { recent } from '../../live/recent.ts';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useStore } from '../../state/store.ts';
import { feed as words } from '../../text/feed.ts';

const eventNames: Readonly<Record<string, string>> = words.events;

/** Short words of an event: its node and state, where it has some. */
function detailOf(event: LiveEvent): string {
  const named = ['nodeId', 'status', 'title', 'workflowName', 'name'].flatMap((name) =>
    typeof event[name] === 'string' ? [event[name]] : [],
  );
  const pages = pagesOf(event);
  return [...named, ...(pages === undefined ? [] : [words.pagesRead(pages.pagesRead, pages.pages)])].join(', ');
}

/** The latest events, newest first, while the page is open. */
export function FeedPage() {
  const events = useStore(recent);
  const [kept, keep] = useState<typeof events | null>(null);
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 10_000);
    return () => clearInterval(timer);
  }, []);
  const shown = kept ?? events;
  const isPaused = kept !== null;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <Button
          icon={isPaused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
          onClick={() => keep(isPaused ? null : events)}
        >
          {isPaused ? words.resume : words.pause}
        </Button>
      }
    >
      {shown.length === 0 && (
        <Empty title={words.emptyTitle} icon={<Radio size={36} aria-hidden />}>
          {words.empty}
        </Empty>
      )}
      <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-panel empty:hidden">
        {shown.map((event) => (
          <li key={event.key} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
            <span className="w-20 text-xs text-muted">
              <Time at={event.at} />
            </span>
            <span className="font-medium">{eventNames[event.type] ?? event.type}</span>
            <span className="min-w-0 flex-1 truncate text-muted" dir="auto">
              {detailOf(event)}
            </span>
            {event.documentId !== undefined && event.type !== 'document.deleted' && (
              <Link to="/documents/$id" params={{ id: event.documentId }} className="text-accent hover:underline">
                {words.openDocument}
              </Link>
            )}
            {event.runId !== undefined && (
              <Link to="/runs/$id" params={{ id: event.runId }} className="text-accent hover:underline">
                {words.openRun}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Page>
  );
}
