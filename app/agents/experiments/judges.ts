import type { EvaluatorSpec } from '#src/contracts/resources/evaluator.ts';
import type { Judge } from '#app/agents/experiments/measure-run.ts';
import { distance } from 'fastest-levenshtein';
export function createJudges(_deps: unknown): (specs: readonly EvaluatorSpec[]) => readonly Judge[] {
  return (specs) =>
    specs.map((s) => ({
      name: s.name ?? s.type,
      better: 'lower',
      score(o, r) {
        if (r?.text === undefined) return { value: null, quality: null };
        if (o.status !== 'succeeded') return { value: 1, quality: 0 };
        const t = String(o.outputs['text'] ?? '');
        const value = distance(t, r.text) / Math.max(1, r.text.length);
        return { value, quality: Math.max(0, 1 - value) };
      },
    }));
}
