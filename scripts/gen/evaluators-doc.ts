import { z } from 'zod';
import { EvaluatorSpec, evaluatorLimits } from '#src/contracts/experiments/evaluator.ts';
import { codeEvaluators } from '#graphs/evaluators.ts';
import { createEvaluators } from '#graphs/evaluators/create-evaluators.ts';
import type { Evaluator } from '#graphs/evaluators/evaluator.ts';
import { generatedNote, table } from '#scripts/gen/markdown.ts';

interface Option {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
}

interface Type {
  readonly description?: string;
  readonly properties: Readonly<Record<string, Option>>;
  readonly required?: readonly string[];
}

/** Options that a spec needs, for the types that have some. */
const examples: Readonly<Record<string, object>> = {
  regex: { pattern: 'Total' },
  json_schema: { schema: { type: 'object' } },
  llm_judge: { rubric: 'Are all amounts right?' },
  code: { evaluator: codeEvaluators[0]?.name },
};

const nobody = () => Promise.reject(new Error('the documentation asks no model'));

function metricOf(type: string): Evaluator {
  const spec = EvaluatorSpec.parse({ type, ...examples[type] });
  const chat = { label: 'documentation', complete: nobody, delimit: (_name: string, text: string) => text };
  const [made] = createEvaluators([spec], { chat, threads: null, code: codeEvaluators });
  if (made === undefined) throw new Error(`no evaluator ${type}`);
  return made;
}

function optionRow([name, option]: readonly [string, Option], required: readonly string[]): string[] {
  const allowed = option.enum?.map((value) => `\`${String(value)}\``).join(', ') ?? option.type ?? '';
  const byDefault = option.default === undefined ? '' : `\`${JSON.stringify(option.default)}\``;
  return [`\`${name}\`${required.includes(name) ? ' (required)' : ''}`, allowed, byDefault, option.description ?? ''];
}

function sectionOf({ description, properties, required = [] }: Type): string {
  const { type, ...options } = properties;
  const name = String(type?.const);
  const { unit, better, range, needs } = metricOf(name);
  const rows = Object.entries(options).map((entry) => optionRow(entry, required));
  return `## \`${name}\`

${description ?? ''}.

- unit: ${unit}, from ${range[0]}${range[1] === null ? ', without an upper bound' : ` to ${range[1]}`}; ${better} is better
- needs of the reference: ${name === 'code' ? 'as the evaluator in code says' : needs === null ? 'nothing' : `\`${needs}\``}

${table(['Option', 'Type', 'Default', 'Meaning'], rows)}
`;
}

/** docs/reference/evaluators.md: a section for each type of evaluator. */
export function evaluatorsDoc(): string {
  const { $defs } = z.toJSONSchema(EvaluatorSpec, { io: 'input' }) as unknown as {
    readonly $defs: { readonly EvaluatorSpec: { readonly oneOf: readonly Type[] } };
  };
  const types = $defs.EvaluatorSpec.oneOf;
  const code = codeEvaluators.map(({ name, description }) => [`\`${name}\``, description]);
  return `${generatedNote}
# Evaluators

An evaluator gives each run of an experiment a score: a \`value\` in its own unit, and a \`quality\` from 0 to 1 (1 is best), which
statistics compare. \`latency\` and \`cost\` have no quality; their values are compared as (baseline - variant) / the larger one.

- A run that failed, timed out or was canceled has quality 0. For \`latency\` and \`cost\` it has no value, since ending early is no gain.
- A document whose reference lacks what an evaluator needs is not judged by it, in any variant.
- A succeeded run without the output that is judged has quality 0, and a note says so.
- Texts are compared in Unicode NFKC. Of longer texts the first ${evaluatorLimits.textCharacters} characters count, and a note says so;
  \`exact\` and \`contains\` read all.

Why: [decision 0093](../decisions/0093-evaluators-and-splits.md).

${types.map(sectionOf).join('\n')}
## Evaluators in code

${table(['Name', 'Judges'], code)}
`;
}
