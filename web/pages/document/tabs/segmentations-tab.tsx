import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../router/link.tsx';
import { useEffect, useState } from 'react';
import { read } from '../../../api/read.ts';
import type { Reply } from '../../../api/families.ts';
import { turnBox, turnPoint, type Turn } from '../../../page-view/geometry.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { Time } from '../../../parts/time.tsx';
import { document as words } from '../../../text/document.ts';
import { share } from '../../../text/format.ts';
import type { Mark, Reading } from '../reading.ts';

type Segmentation = Reply<'documents', 'segmentations'>['results'][number];

/** Segments are measured on the upright page, texts on the page as it was read: `turn` degrees clockwise from it. */
function marksOf({ page, segments }: Segmentation, turn: Turn): readonly Mark[] {
  return segments.map(({ bbox, polygon, label }): Mark => ({
    page,
    box: turnBox(bbox, turn),
    tone: 'info',
    label,
    ...(polygon.length > 2 && {
      polygon: polygon.map(([x, y]) => {
        const turned = turnPoint({ x, y }, turn);
        return [turned.x, turned.y] as const;
      }),
    }),
  }));
}

function Found({ one, reading, turn }: { readonly one: Segmentation; readonly reading: Reading; readonly turn: Turn }) {
  const { place, marks } = reading;
  const all = marksOf(one, turn);
  return (
    <div className="grid gap-2">
      {one.unsupportedPrompt && <p className="text-warn">{words.unsupported}</p>}
      <ul className="divide-y divide-line rounded-lg border border-line bg-panel">
        {one.segments.map(({ label, score, text, bbox }, index) => {
          const mark = all[index];
          const light = (isLit: boolean): void => {
            if (mark !== undefined)
              marks.set(all.map((other) => (other === mark && isLit ? { ...other, tone: 'accent' } : other)));
          };
          return (
            <li key={bbox.join(' ')} className="flex">
              <button
                type="button"
                className="flex w-full items-baseline gap-3 px-3 py-1.5 text-start hover:bg-hover"
                onPointerEnter={() => light(true)}
                onPointerLeave={() => light(false)}
                onFocus={() => light(true)}
                onBlur={() => light(false)}
                onClick={() => mark !== undefined && place.toBox(one.page, mark.box)}
              >
                <span className="font-medium" dir="auto">
                  {label}
                </span>
                <span className="min-w-0 flex-1 truncate text-muted" dir="auto">
                  {text}
                </span>
                <span className="text-xs text-muted">{share(score)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {one.derivedDocument !== undefined && (
        <Link to="/documents/$id" params={{ id: one.derivedDocument.id }} className="text-accent underline">
          {words.derived}
        </Link>
      )}
    </div>
  );
}

/** Regions that models found, drawn over the page. */
export function SegmentationsTab({ reading }: { readonly reading: Reading }) {
  const { document, place, marks, text } = reading;
  const found = useQuery(read('documents', 'segmentations', { params: { id: document.id } }));
  const [chosenId, choose] = useState<string | null>(null);
  const results = found.data?.results;
  const chosen =
    results?.find(({ segmentationId }) => segmentationId === chosenId) ??
    results?.find(({ page }) => page === place.page) ??
    results?.[0];
  const turn = (text?.rotation ?? 0) as Turn;
  useEffect(() => {
    marks.set(chosen === undefined ? [] : marksOf(chosen, turn));
    return () => marks.set([]);
  }, [chosen, turn, marks]);
  return (
    <Loaded query={found}>
      {({ results: all }) =>
        all.length === 0 ? (
          <Empty title={words.noSegmentsTitle}>{words.noSegments}</Empty>
        ) : (
          <ul className="grid gap-3">
            {all.map((one) => (
              <li key={one.segmentationId} className="grid gap-2">
                <div className="flex flex-wrap items-center gap-2">
                  <Button
                    size="small"
                    aria-pressed={one === chosen}
                    look={one === chosen ? 'primary' : 'usual'}
                    onClick={() => {
                      choose(one.segmentationId);
                      if (one.page !== place.page) place.toPage(one.page);
                    }}
                  >
                    {words.segmentsOf(one.modelLabel, one.prompt)}
                  </Button>
                  <Badge>{words.segmentCount(one.segments.length)}</Badge>
                  <span className="text-xs text-muted">
                    {words.onPage(one.page + 1)} <Time at={one.segmentationCreatedAt} />
                  </span>
                </div>
                {one === chosen && <Found {...{ one, reading, turn }} />}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
