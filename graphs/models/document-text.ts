import { DescriptionFacts, OcrFacts, readFacts, stillThere } from '#graphs/nodes/facts.ts';
import type { NodeCall } from '#graphs/define.ts';

export type TextSource = 'ocr' | 'description' | 'none';

/** Channel that `source` of a config reads; the config can be invalid. */
export function sourceOf(config: Readonly<Record<string, unknown>>): string[] {
  const source = config['source'] ?? 'ocr';
  return source === 'ocr' || source === 'description' ? [source] : [];
}

/** Text of the run's document, cut to `most` characters; empty if no earlier node stored one. Untrusted content. */
export async function documentText(
  call: Pick<NodeCall<unknown>, 'deps' | 'run' | 'state'>,
  source: TextSource,
  most: number,
): Promise<string> {
  const whole = source === 'none' ? '' : await (source === 'ocr' ? recognized(call) : described(call));
  return whole.slice(0, most).toWellFormed();
}

async function recognized({ deps, run, state }: Pick<NodeCall<unknown>, 'deps' | 'run' | 'state'>): Promise<string> {
  const facts = readFacts(state, 'ocr', OcrFacts);
  return facts ? stillThere(await deps.results.ocrText(run.organizationId, facts.ocrResultId)).text : '';
}

async function described({ deps, run, state }: Pick<NodeCall<unknown>, 'deps' | 'run' | 'state'>): Promise<string> {
  const facts = readFacts(state, 'description', DescriptionFacts);
  if (!facts) return '';
  const { value } = stillThere(await deps.results.descriptionById(run.organizationId, facts.descriptionId));
  const fields = value.keyFields.map((field) => `${field.name}: ${field.value}`);
  return [value.title, value.description, `Type: ${value.documentType}`, ...fields].join('\n');
}
