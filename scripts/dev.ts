import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** `npm run dev`: the services, started again when a source file changes. */
const child = spawn(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    '--watch-preserve-output',
    '--watch-path=src',
    '--watch-path=graphs',
    '--watch-path=tools',
    '--watch-path=http',
    '--watch-path=embedded',
    'src/main.ts',
  ],
  { stdio: 'inherit', env: { LOG_LEVEL: 'debug', ...process.env } },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 0;
