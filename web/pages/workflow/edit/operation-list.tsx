import type { Operation } from '#src/contracts/resources/operation.ts';
import { changeLetters } from '../../../graph-view/compare.ts';
import { workflows as words } from '../../../text/workflows.ts';
import { changeOf, sentenceOf } from './operation-words.ts';

const tones = { added: 'bg-ok-soft text-ok', removed: 'bg-bad-soft text-bad', changed: 'bg-warn-soft text-warn' };

/** Operations as sentences, each with the letter of its change. */
export function OperationList({ operations }: { readonly operations: readonly Operation[] }) {
  return (
    <ul className="grid gap-1">
      {operations.map((operation) => {
        const change = changeOf(operation);
        return (
          <li key={JSON.stringify(operation)} className="flex items-start gap-2">
            <span
              title={words.changes[change]}
              className={`mt-0.5 grid size-5 shrink-0 place-items-center rounded-sm text-xs font-semibold ${tones[change]}`}
            >
              {changeLetters[change]}
            </span>
            <span className="min-w-0" dir="auto">
              {sentenceOf(operation)}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
