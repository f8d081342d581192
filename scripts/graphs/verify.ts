import { callTool } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import { say, type Request } from '#scripts/graphs/commands.ts';
import type { Store } from '#scripts/graphs/store.ts';

/** Verifies the receipts of runs; 1 when one of them differs. */
export async function verify(request: Request, { runs }: Store): Promise<void | 1> {
  const checks = [];
  for (const id of request.refs) checks.push(await callTool(tools.verifyReceipt, runs, { id }));
  if (request.json) say(request, JSON.stringify(checks));
  for (const { runId, valid, steps, hash, differences, unchecked } of request.json ? [] : checks) {
    const gone = unchecked.length === 0 ? '' : `, without ${unchecked.join(' and ')}, which were deleted`;
    say(request, `${valid ? 'ok    ' : 'broken'}  ${runId}  ${steps} steps, ${hash}${gone}`);
    for (const { at, receipt, computed } of differences)
      say(request, `        ${at}: ${JSON.stringify(receipt)}, but stored is ${JSON.stringify(computed)}`);
  }
  if (checks.some(({ valid }) => !valid)) return 1;
}
