import { UsageError } from '#scripts/cli/with-app.ts';
import { readAddresses } from '#app/compose/addresses.ts';

const patienceMs = 2_000;

/** True for an address at which a service answers. */
async function answers(address: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/health', address), { signal: AbortSignal.timeout(patienceMs) });
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null && 'service' in body;
  } catch {
    // No answer, or that of another program: the service that wrote the address was killed.
    return false;
  }
}

/** Throws UsageError while services of this data folder answer. Those of other machines cannot be seen. */
export async function refuseRunning(dataDir: string): Promise<void> {
  const { api, agents, mcp } = (await readAddresses(dataDir)) ?? {};
  for (const address of [api, agents, mcp])
    if (address !== undefined && (await answers(address)))
      throw new UsageError(
        `A service of ${dataDir} runs at ${address}. Stop all services, then run the command again.`,
      );
}
