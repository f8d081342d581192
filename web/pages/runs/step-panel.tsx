import type { ReactNode } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { duration } from '../../text/format.ts';
import { runs as words } from '../../text/runs.ts';
import type { Step } from './timeline.tsx';

function Block({
  title,
  children,
  isBad = false,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly isBad?: boolean;
}) {
  return (
    <section>
      <h3 className="mb-1 text-muted">{title}</h3>
      <pre
        tabIndex={0}
        dir="auto"
        className={`max-h-72 overflow-auto rounded-md border border-line bg-bg p-2.5 font-mono text-xs whitespace-pre-wrap ${isBad ? 'text-bad' : ''}`}
      >
        {children}
      </pre>
    </section>
  );
}

/** Input and output of a step, as far as the run keeps it. */
export function StepPanel({ step }: { readonly step: Step }) {
  const { nodeId, type, attempt, status, ms, error, inputText, requestText, outputPreview, cachedFrom, usage } = step;
  const { errorDataText, errorStackText } = step;
  return (
    <div className="grid content-start gap-3 rounded-lg border border-line bg-panel p-4">
      <header className="flex flex-wrap items-center gap-2">
        <h2 dir="auto">{nodeId}</h2>
        <Badge>
          <code>{type}</code>
        </Badge>
        <Badge tone={status === 'succeeded' ? 'ok' : status === 'failed' ? 'bad' : 'quiet'}>
          {words.stepStates[status]}
        </Badge>
        {attempt > 1 && <Badge>{words.attempt(attempt)}</Badge>}
        {cachedFrom !== undefined && <Badge tone="info">{words.cached}</Badge>}
        {ms !== null && <span className="text-xs text-muted">{duration(ms)}</span>}
      </header>
      {error !== null && (
        <Block title={words.error} isBad>
          {`${error.code}\n${error.message}`}
        </Block>
      )}
      {errorDataText !== undefined && <Block title={words.errorData}>{errorDataText}</Block>}
      {errorStackText !== undefined && <Block title={words.errorStack}>{errorStackText}</Block>}
      {inputText !== undefined && <Block title={words.input}>{inputText}</Block>}
      {requestText !== undefined && <Block title={words.request}>{requestText}</Block>}
      {outputPreview !== null && <Block title={words.output}>{outputPreview}</Block>}
      {usage !== null && (
        <p className="text-xs text-muted">
          {words.usage}: {usage.provider} {usage.model}
          {usage.inputTokens !== undefined && `, ${words.tokens(usage.inputTokens, usage.outputTokens ?? 0)}`}
          {usage.costUsd !== undefined && `, ${words.cost(usage.costUsd)}`}
        </p>
      )}
    </div>
  );
}
