import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { read } from '../../../api/read.ts';
import { StateBadge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { SelectField, TextField } from '../../../parts/field.tsx';
import { Failure, Loaded } from '../../../parts/states.tsx';
import { toastError } from '../../../parts/toast.tsx';
import { useCan, useProject } from '../../../shell/session.ts';
import { useDebounced } from '../../../state/debounced.ts';
import { duration } from '../../../text/format.ts';
import { workflows as words } from '../../../text/workflows.ts';

interface TestPanelProps {
  readonly id: string;
  readonly publishedVersion: number | null;
}

/** Steps and results of a run, kept fresh by the realtime feed. */
function Result({ runId }: { readonly runId: string }) {
  const run = useQuery(read('runs', 'get', { params: { id: runId } }));
  return (
    <Loaded query={run}>
      {({ status, steps, outputs, error, documentId, waitingFor }) => (
        <section aria-label={words.testResult} className="grid gap-2" aria-live="polite">
          <p className="flex items-center gap-2">
            <StateBadge state={status} />
            <Link to="/documents/$id" params={{ id: documentId }} className="text-accent hover:underline">
              {words.testOpen}
            </Link>
          </p>
          {error !== undefined && <p className="text-bad">{error.message}</p>}
          {waitingFor?.map(({ path, promptText }) => (
            <p key={path} className="rounded-md bg-warn-soft px-2.5 py-1.5 text-warn" dir="auto">
              {promptText}
            </p>
          ))}
          <ol className="grid gap-1">
            {steps.map((step) => (
              <li key={step.stepId} className="flex items-center gap-2 border-b border-line py-1 last:border-0">
                <span className="min-w-0 flex-1 truncate">{step.nodeId}</span>
                <span className="text-xs text-muted">{step.ms === null ? '' : duration(step.ms)}</span>
                <span className={`text-xs ${step.status === 'failed' ? 'text-bad' : 'text-muted'}`}>
                  {words.stepStates[step.status]}
                </span>
              </li>
            ))}
          </ol>
          {outputs !== null && outputs !== undefined && (
            <pre
              className="max-h-80 overflow-auto rounded-md border border-line bg-bg p-2 font-mono text-xs whitespace-pre-wrap"
              dir="auto"
              tabIndex={0}
            >
              {JSON.stringify(outputs, null, 2)}
            </pre>
          )}
        </section>
      )}
    </Loaded>
  );
}

/** Runs the workflow on one document, and shows each step as it ends. */
export function TestPanel({ id, publishedVersion }: TestPanelProps) {
  const canRun = useCan('runs:execute');
  const project = useProject();
  const [text, setText] = useState('');
  const [chosen, choose] = useState('');
  const query = useDebounced(text.trim(), 200);
  const documents = useQuery(
    read('documents', 'list', { query: { projectId: project.id, limit: 25, query: query === '' ? undefined : query } }),
  );
  const run = useMutation({
    mutationFn: (documentId: string) =>
      call('documents', 'run', { params: { id: documentId }, body: { workflowId: id } }),
    onError: toastError,
  });
  if (publishedVersion === null) return <p className="text-muted">{words.testNever}</p>;
  const found = documents.data?.documents ?? [];
  const target = found.some((one) => one.id === chosen) ? chosen : (found[0]?.id ?? '');
  return (
    <div className="grid gap-3">
      <p className="text-muted">{words.testLead}</p>
      {documents.error !== null && <Failure error={documents.error} />}
      <TextField
        label={words.testFind}
        type="search"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <SelectField
        label={words.testDocument}
        value={target}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {found.map((one) => (
          <option key={one.id} value={one.id}>
            {one.title ?? one.filename ?? one.id}
          </option>
        ))}
      </SelectField>
      {canRun && (
        <div>
          <Button
            look="primary"
            icon={<Play size={14} aria-hidden />}
            busy={run.isPending}
            disabled={target === ''}
            onClick={() => run.mutate(target)}
          >
            {words.testRunVersion(publishedVersion)}
          </Button>
        </div>
      )}
      {run.data !== undefined && <Result runId={run.data.runId} />}
    </div>
  );
}
