import { CircleAlert, CircleCheck, TriangleAlert, Wrench } from 'lucide-react';
import type { Operation } from '#src/contracts/resources/operation.ts';
import type { Graph } from '../../../graph-view/graph.ts';
import { Button } from '../../../parts/button.tsx';
import { workflows as words } from '../../../text/workflows.ts';
import type { Editor } from '../edit/editor.ts';
import { OperationList } from '../edit/operation-list.tsx';
import { nodeOf, type Issue } from '../edit/problems.ts';

interface ProblemsPanelProps {
  readonly graph: Graph;
  readonly issues: readonly Issue[];
  readonly editor: Editor | null;
  readonly onChoose: (id: string) => void;
}

function Problem({ issue, graph, editor, onChoose }: Omit<ProblemsPanelProps, 'issues'> & { readonly issue: Issue }) {
  const { severity, message, hint, path, fix = [] } = issue;
  const node = nodeOf(issue, graph.edges);
  const isError = severity === 'error';
  return (
    <li className="grid gap-1.5 rounded-lg border border-line p-3">
      <p className={`flex items-start gap-2 font-medium ${isError ? 'text-bad' : 'text-warn'}`}>
        {isError ? (
          <CircleAlert size={16} aria-label={words.errors} className="mt-0.5 shrink-0" />
        ) : (
          <TriangleAlert size={16} aria-label={words.warnings} className="mt-0.5 shrink-0" />
        )}
        {message}
      </p>
      <p className="text-muted">{hint}</p>
      {fix.length > 0 && (
        <details className="text-xs">
          <summary className="text-muted">{words.fixWould}</summary>
          <div className="pt-1.5">
            <OperationList operations={fix as Operation[]} />
          </div>
        </details>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {node !== undefined && Object.hasOwn(graph.nodes, node) && (
          <Button size="small" onClick={() => onChoose(node)}>
            {words.show} {node}
          </Button>
        )}
        {fix.length > 0 && editor !== null && (
          <Button
            size="small"
            icon={<Wrench size={14} aria-hidden />}
            onClick={() => void editor.apply(...(fix as Operation[]))}
          >
            {words.fix}
          </Button>
        )}
        <code className="text-xs text-muted">{path}</code>
      </div>
    </li>
  );
}

/** Findings of the checker: errors first, each with its node and its fix. */
export function ProblemsPanel({ issues, ...shared }: ProblemsPanelProps) {
  if (issues.length === 0)
    return (
      <p className="flex items-center gap-2 text-ok">
        <CircleCheck size={16} aria-hidden />
        {words.problemsNone}
      </p>
    );
  const sorted = issues.toSorted((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
  return (
    <ul className="grid gap-2">
      {sorted.map((issue) => (
        <Problem key={`${issue.path} ${issue.message}`} issue={issue} {...shared} />
      ))}
    </ul>
  );
}
