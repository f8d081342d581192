import { Link } from '../../router/link.tsx';
import { ArrowDown, ArrowUp, Pencil } from 'lucide-react';
import { useState } from 'react';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { IconButton } from '../../parts/button.tsx';
import { Time } from '../../parts/time.tsx';
import { fieldName } from '../../text/field-name.ts';
import { share } from '../../text/format.ts';
import { records as words } from '../../text/records.ts';
import { CellEditor } from './cell-editor.tsx';
import { isNumeric, valueText, type RecordRow } from './cell-value.tsx';

const tones: Readonly<Record<RecordRow['status'], Tone>> = { proposed: 'quiet', doubtful: 'warn', confirmed: 'ok' };

interface RecordTableProps {
  readonly fields: readonly string[];
  readonly records: readonly RecordRow[];
  readonly sort: string | undefined;
  readonly onSort: (sort: string | undefined) => void;
  readonly canEdit: boolean;
}

/** One cell: its value leads to the words on the page that it came from. */
function ValueCell({
  record,
  path,
  onEdit,
}: {
  readonly record: RecordRow;
  readonly path: string;
  readonly onEdit: (() => void) | null;
}) {
  const cell = record.cells[path];
  const text = valueText(cell?.value ?? null);
  const isNumber = isNumeric(cell?.value ?? null);
  const isDoubtful = record.problems.some(({ field }) => field === path);
  const about =
    cell === undefined
      ? ''
      : `${text}\n${words.confidence(share(cell.confidence))}, ${words.saidBy[cell.by]}. ${cell.verified ? words.verified : words.unverified}`;
  return (
    <td
      className={`group ${isNumber ? 'number' : ''} ${isDoubtful ? 'bg-warn-soft' : ''} ${text.length < 12 ? 'whitespace-nowrap' : ''}`}
    >
      <span className="relative inline-flex items-center">
        {cell?.page === null || cell === undefined || text === '' ? (
          <span dir="auto" title={about} className="max-w-64 truncate">
            {text === '' ? <span className="text-muted">–</span> : text}
          </span>
        ) : (
          <Link
            to="/documents/$id"
            params={{ id: record.documentId }}
            search={{ page: cell.page, box: cell.box?.join(','), tab: 'fields' }}
            aria-label={words.openCell(path, text)}
            title={about}
            className="max-w-64 truncate decoration-dotted underline-offset-4 hover:underline"
            dir="auto"
          >
            {text}
          </Link>
        )}
        {onEdit !== null && (
          <IconButton
            size="small"
            label={words.edit(path)}
            onClick={onEdit}
            // Over the edge of the cell: a place of its own would widen every column.
            className={`absolute bg-hover opacity-0 group-hover:opacity-100 focus-visible:opacity-100 ${isNumber ? '-start-6' : '-end-5'}`}
          >
            <Pencil size={12} aria-hidden />
          </IconButton>
        )}
      </span>
    </td>
  );
}

/** Records as rows. Column heads sort, cells lead to their pixels and can be corrected. */
export function RecordTable({ fields, records, sort, onSort, canEdit }: RecordTableProps) {
  const [edited, edit] = useState<{ readonly record: RecordRow; readonly path: string } | null>(null);
  const next = (field: string) => (sort === field ? `-${field}` : sort === `-${field}` ? undefined : field);
  const direction = (field: string) => (sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : undefined);
  return (
    <div className="relative overflow-x-auto rounded-lg border border-line bg-panel">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.status}</th>
            {fields.map((field) => (
              <th
                key={field}
                scope="col"
                dir="auto"
                aria-sort={direction(field)}
                // The head of a column stands where its values do.
                className={records.some(({ cells }) => isNumeric(cells[field]?.value ?? null)) ? 'number' : ''}
              >
                <button
                  type="button"
                  onClick={() => onSort(next(field))}
                  aria-label={words.sortBy(field)}
                  title={field}
                  className="inline-flex items-center gap-1 hover:text-fg"
                >
                  {fieldName(field)}
                  {sort === field && <ArrowUp size={12} aria-hidden />}
                  {sort === `-${field}` && <ArrowDown size={12} aria-hidden />}
                </button>
              </th>
            ))}
            <th scope="col">{words.updated}</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={record.recordId}>
              <td>
                <Link
                  title={record.problems.map(({ detail }) => detail).join('\n')}
                  to="/documents/$id"
                  params={{ id: record.documentId }}
                  search={{ tab: 'fields' }}
                >
                  <Badge tone={tones[record.status]}>{words.statuses[record.status]}</Badge>
                </Link>
              </td>
              {fields.map((path) => (
                <ValueCell
                  key={path}
                  record={record}
                  path={path}
                  onEdit={canEdit ? () => edit({ record, path }) : null}
                />
              ))}
              <td className="text-muted">
                <Time at={record.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {edited !== null && <CellEditor {...edited} onClose={() => edit(null)} />}
    </div>
  );
}
