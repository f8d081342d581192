import type { Place } from '#scripts/topology/fleet.ts';
import { freePorts } from '#scripts/servers/free-ports.ts';

/** An address of a service, beside the one that says whether it may get requests. */
export interface Reached {
  readonly url: string;
  readonly readyUrl: string;
}

export interface Places {
  readonly places: readonly Place[];
  readonly api: readonly Reached[];
  readonly mcp: readonly Reached[];
  /** Stores of objects on the disk, which the API processes serve. */
  readonly objects: readonly Reached[];
}

const local = (port: string): string => `http://127.0.0.1:${port}`;

/** Addresses and settings of the seven processes. */
export async function choosePlaces(): Promise<Places> {
  const ports = (await freePorts(9)).map(String);
  const [api1 = '', objects1 = '', api2 = '', objects2 = '', mcp1 = '', mcp2 = '', ...agents] = ports;
  const api = (name: string, port: string, objects: string): Place => ({
    name,
    env: { SERVICES: 'api', API_PORT: port, OBJECTS_PORT: objects },
  });
  const reached = (port: string, of = port): Reached => ({ url: local(port), readyUrl: `${local(of)}/readyz` });
  return {
    places: [
      api('api 1', api1, objects1),
      api('api 2', api2, objects2),
      { name: 'mcp 1', env: { SERVICES: 'mcp', MCP_PORT: mcp1 } },
      { name: 'mcp 2', env: { SERVICES: 'mcp', MCP_PORT: mcp2 } },
      ...agents.map((port, at) => ({ name: `agents ${at + 1}`, env: { SERVICES: 'agents', AGENTS_PORT: port } })),
    ],
    api: [reached(api1), reached(api2)],
    mcp: [reached(mcp1), reached(mcp2)],
    objects: [reached(objects1, api1), reached(objects2, api2)],
  };
}
