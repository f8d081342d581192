import { useState } from 'react';
import type { Reply } from '../../api/families.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../parts/button.tsx';
import { useCan } from '../../shell/session.ts';
import { fieldName } from '../../text/field-name.ts';
import { share } from '../../text/format.ts';
import { records as recordWords } from '../../text/records.ts';
import { reviews as words } from '../../text/runs.ts';
import { CellEditor } from '../records/cell-editor.tsx';
import { valueText } from '../records/cell-value.ts';

type Record = Extract<Reply<'operators', 'reviews'>['reviews'][number], { kind: 'record' }>['record'];

const outdated = [['operators', 'reviews'], ['records']];

/** A record with doubtful cells: each can be corrected, and the whole confirmed. */
export function RecordReview({ record, onDone }: { readonly record: Record; readonly onDone: () => void }) {
  const canEdit = useCan('documents:write');
  const [edited, edit] = useState<string | null>(null);
  const confirm = useChange('records', 'correct', { outdated, done: recordWords.confirmed, onDone });
  const doubts = new Map(record.problems.map(({ field, detail }) => [field, detail]));
  const paths = Object.keys(record.cells).toSorted((a, b) => Number(doubts.has(b)) - Number(doubts.has(a)));
  const missing = [...doubts.keys()].filter((path) => !(path in record.cells));
  return (
    <section className="grid grid-cols-1 gap-3 rounded-lg border border-warn/50 bg-panel p-4">
      <h2>{words.recordTitle(record.recordType)}</h2>
      <ul className="grid gap-1 text-warn">
        {record.problems.map(({ field, detail }) => (
          <li key={`${field} ${detail}`} dir="auto">
            {detail}
          </li>
        ))}
      </ul>
      <dl className="divide-y divide-line border-y border-line">
        {[...missing, ...paths].map((path) => {
          const cell = record.cells[path];
          return (
            <div
              key={path}
              className={`grid grid-cols-[7rem_minmax(0,1fr)_auto] items-center gap-3 px-2 py-1.5 max-sm:grid-cols-[5rem_minmax(0,1fr)_auto] max-sm:gap-2 ${doubts.has(path) ? 'bg-warn-soft' : ''}`}
            >
              <dt className="text-muted" title={path}>
                {fieldName(path)}
              </dt>
              <dd dir="auto">
                {valueText(cell?.value) || '–'}
                {cell !== undefined && cell.value !== null && doubts.has(path) && (
                  <span className="block text-xs text-warn">{recordWords.confidence(share(cell.confidence))}</span>
                )}
              </dd>
              <dd>
                {canEdit && (
                  <Button size="small" aria-label={recordWords.edit(path)} onClick={() => edit(path)}>
                    {words.correct}
                  </Button>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      {canEdit && (
        <Button
          look="primary"
          className="justify-self-start"
          busy={confirm.isPending}
          onClick={() =>
            confirm.mutate({
              params: { recordId: record.recordId },
              body: { revision: record.revision, confirm: true },
            })
          }
        >
          {recordWords.confirm}
        </Button>
      )}
      {edited !== null && <CellEditor record={record} path={edited} onClose={() => edit(null)} />}
    </section>
  );
}
