import type { Addresses } from '#app/compose/addresses.ts';
import type { ServiceName } from '#src/config/env.ts';

/** Output of a process: standard output, where people read it or a program does. */
interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Tells a person at a terminal how to go on. Programs read the log instead. */
export function greet(out: Output, { api }: Addresses, services: ReadonlySet<ServiceName>): void {
  if (out.isTTY !== true || !services.has('api')) return;
  out.write(`\nInkgraph is up. Open ${api}\nFor an e-mail address and password, in a second terminal: npm run seed\n`);
}
