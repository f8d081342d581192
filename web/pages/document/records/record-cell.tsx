import { ShieldQuestion } from 'lucide-react';
import { document as words } from '../../../text/document.ts';
import { EditPencil } from '../../records/cell-editor.tsx';
import { valueText, type Cell } from '../../records/cell-value.ts';

interface RecordCellProps {
  readonly path: string;
  readonly cell: Cell | undefined;
  readonly canCorrect: boolean;
  /** The cell is below the pointer or has the focus: its place lights up on the page. */
  readonly onLight: (path: string | null) => void;
  readonly onShow: (path: string) => void;
  readonly onEdit: (path: string) => void;
}

/** One value with its proof: pressing it leads to its place on the page. */
export function RecordCell({ path, cell, canCorrect, onLight, onShow, onEdit }: RecordCellProps) {
  if (cell === undefined) return null;
  const { value, verified, by, box } = cell;
  return (
    <div
      className="group relative flex items-center gap-1"
      onPointerEnter={() => onLight(path)}
      onPointerLeave={() => onLight(null)}
    >
      <button
        type="button"
        disabled={box === null}
        onFocus={() => onLight(path)}
        onBlur={() => onLight(null)}
        onClick={() => onShow(path)}
        dir="auto"
        className={`min-w-6 rounded-sm -mx-1 px-1 text-start ${value === null ? 'text-muted italic' : ''} ${typeof value === 'string' ? '' : 'whitespace-nowrap'} ${box === null ? '' : 'hover:bg-accent-soft'}`}
      >
        {value === null ? words.noValue : valueText(value)}
      </button>
      {value !== null && !verified && by !== 'person' && (
        <span title={words.notInText} className="text-warn">
          <ShieldQuestion size={14} aria-label={words.notInText} />
        </span>
      )}
      {canCorrect && <EditPencil path={path} onClick={() => onEdit(path)} className="-end-3" />}
    </div>
  );
}
