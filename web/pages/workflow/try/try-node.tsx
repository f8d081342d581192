import { useMutation } from '@tanstack/react-query';
import { Link } from '../../../router/link.tsx';
import { FlaskConical } from 'lucide-react';
import { call } from '../../../api/client.ts';
import type { Reply } from '../../../api/families.ts';
import { Problem } from '../../../api/problem.ts';
import { StateBadge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/states.tsx';
import { useCan } from '../../../shell/session.ts';
import { duration } from '../../../text/format.ts';
import { workflows as words } from '../../../text/workflows.ts';
import { useDocumentChoice } from './document-choice.tsx';
import { Outputs, Questions } from './outputs.tsx';

type Tried = Reply<'workflows', 'testNode'>;

/** Problems with the field that each is about, which the first message may not name. */
function Refusal({ error }: { readonly error: Error }) {
  const errors = error instanceof Problem ? (error.body.errors ?? []) : [];
  return (
    <>
      <Failure error={error} />
      {errors.length > 1 && (
        <ul className="list-inside list-disc text-bad">
          {errors.map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`}>
              {pointer} {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Outcome({ tried }: { readonly tried: Tried }) {
  const { runId, status, steps, outputs, error, waitingFor, issues } = tried;
  const asks = waitingFor !== undefined && waitingFor.length > 0;
  const ms = steps.reduce((sum, step) => sum + (step.ms ?? 0), 0);
  const failure = steps.find((step) => step.error !== null)?.error;
  return (
    <section aria-label={words.tryResult} aria-live="polite" className="grid gap-2">
      <p className="flex flex-wrap items-center gap-2">
        <StateBadge state={asks ? 'waiting' : status} />
        <span className="text-xs text-muted">{duration(ms)}</span>
        <Link to="/runs/$id" params={{ id: runId }} className="text-accent hover:underline">
          {words.testOpenRun}
        </Link>
      </p>
      {issues.map(({ severity, message, hint, path }) => (
        <p
          key={`${path} ${message}`}
          className={`rounded-md px-2.5 py-1.5 ${severity === 'error' ? 'bg-bad-soft text-bad' : 'bg-warn-soft text-warn'}`}
        >
          {message} {hint}
        </p>
      ))}
      {asks && <p className="text-muted">{words.tryAsks}</p>}
      <Questions questions={waitingFor} />
      {!asks && error !== undefined && (
        <p className="rounded-md bg-bad-soft px-2.5 py-1.5 text-bad" dir="auto">
          {failure?.message ?? error.message}
        </p>
      )}
      {outputs !== null && outputs !== undefined && Object.keys(outputs).length > 0 ? (
        <Outputs outputs={outputs} />
      ) : (
        !asks && error === undefined && <p className="text-muted">{words.tryNothing}</p>
      )}
    </section>
  );
}

/** Tries one node of the draft on a document, and shows what it wrote, asked or could not do. */
export function TryNode({ workflowId, nodeId }: { readonly workflowId: string; readonly nodeId: string }) {
  const canRun = useCan('runs:execute');
  const canEdit = useCan('workflows:write');
  const { target, fields } = useDocumentChoice();
  const attempt = useMutation({
    mutationFn: () => call('workflows', 'testNode', { params: { workflowId, nodeId }, body: { documentId: target } }),
  });
  if (!canRun || !canEdit) return null;
  return (
    <details className="rounded-lg border border-line p-3">
      <summary className="cursor-pointer font-medium">{words.tryNode}</summary>
      <div className="mt-3 grid gap-3">
        <p className="text-muted">{words.tryLead}</p>
        {fields}
        <div>
          <Button
            icon={<FlaskConical size={14} aria-hidden />}
            busy={attempt.isPending}
            disabled={target === ''}
            onClick={() => attempt.mutate()}
          >
            {words.tryAction}
          </Button>
        </div>
        {attempt.error !== null && <Refusal error={attempt.error} />}
        {attempt.data !== undefined && <Outcome tried={attempt.data} />}
      </div>
    </details>
  );
}
