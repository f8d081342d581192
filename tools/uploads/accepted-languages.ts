import { invalidInput } from '#tools/call.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** Error: `request.invalid` for languages that OCR has no data of here. Source: docs/decisions/0214. */
export function requireInstalled(given: readonly string[] | undefined, installation: ToolDeps['installation']): void {
  if (given === undefined) return;
  const installed = installation.languages();
  const problems = given.flatMap((code, at) => {
    if (installed.includes(code)) return [];
    const message = `"${code}" is not installed here. Use ${installed.join(', ')}, or ask the operator to run npm run languages -- add ${code}`;
    return [{ pointer: `/languages/${at}`, code: 'not_installed', message }];
  });
  if (problems.length > 0) throw invalidInput(problems);
}
