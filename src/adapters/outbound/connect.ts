import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { addressProblem, type Policy, type Target } from '#src/adapters/outbound/target.ts';
import { AppError } from '#src/domain/app-error.ts';
import { UnreachableError } from '#src/domain/ports/outbound.ts';

type Resolved = Readonly<{ address: string; family: number }>;
type Resolve = (host: string) => Promise<readonly Resolved[]>;

export interface Network {
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
  /** Default: `connect` of node:net. */
  readonly connect?: typeof connectTcp;
}

export function refusal(reason: string): AppError {
  return new AppError('outbound.refused', `The address cannot be called: ${reason}.`);
}

/** Looks up all addresses of a name. One forbidden address refuses the name, since any of them may be used. */
export async function checkedLookup(
  policy: Policy,
  target: Target,
  resolve: Resolve = (host) => lookup(host, { all: true }),
): Promise<[Resolved, ...Resolved[]]> {
  let found: readonly Resolved[];
  try {
    found = await resolve(target.host);
  } catch (error) {
    throw new UnreachableError('The name of the outside service was not found.', { cause: error });
  }
  for (const { address } of found) {
    const problem = addressProblem(policy, address, target);
    if (problem !== null) throw refusal(problem);
  }
  const [first, ...others] = found;
  if (first === undefined) throw new UnreachableError('The name of the outside service has no address.');
  return [first, ...others];
}

/**
 * Connects to the target, checks the peer before a byte is sent, and starts TLS for https. An abort destroys the connection, also
 * later.
 */
export async function openConnection(
  policy: Policy,
  target: Target,
  network: Network,
  signal: AbortSignal,
): Promise<Socket> {
  const { host, port } = target;
  // DNS may have changed since the lookup, so the peer is checked too.
  const lookUpAgain: LookupFunction = (_host, { all }, answer) => {
    checkedLookup(policy, target, network.resolve).then(
      ([first, ...others]) =>
        all === true ? answer(null, [first, ...others]) : answer(null, first.address, first.family),
      (error: unknown) => answer(error as Error, '', 0),
    );
  };
  const socket = (network.connect ?? connectTcp)({ host, port, lookup: lookUpAgain, signal });
  // The reader of the stream gets later errors.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal });
    const problem = addressProblem(policy, socket.remoteAddress ?? '', target);
    if (problem !== null) throw refusal(problem);
    if (!target.secure) return socket;
    const name = target.isAddress ? {} : { servername: host };
    const encrypted = connectTls({ socket, host, ALPNProtocols: ['http/1.1'], ...name });
    encrypted.on('error', () => undefined);
    await once(encrypted, 'secureConnect', { signal });
    return encrypted;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
