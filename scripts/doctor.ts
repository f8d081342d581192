import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { readAddresses } from '#app/compose/addresses.ts';
import { loadConfig, type Config } from '#src/config/config.ts';
import { ConfigError, env, readEnv } from '#src/config/env.ts';
import { version } from '#src/config/version.ts';

interface Finding {
  readonly ok: boolean;
  readonly what: string;
  /** Step that fixes the failed check. */
  readonly fix?: string;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

function node(): Finding {
  const major = Number(process.versions.node.split('.')[0]);
  return major >= 24
    ? { ok: true, what: `Node ${process.versions.node}` }
    : {
        ok: false,
        what: `Node ${process.versions.node} is too old`,
        fix: 'run npm install, which brings Node 24, and use the npm scripts',
      };
}

async function port(name: string, host: string, number: number, running: boolean): Promise<Finding> {
  if (number === 0) return { ok: true, what: `${name}: any free port` };
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const probe = createServer();
  probe.once('error', () => resolve(false));
  probe.listen(number, host, () => probe.close(() => resolve(true)));
  if (await promise) return { ok: true, what: `${name} ${number} is free` };
  if (running) return { ok: true, what: `${name} ${number} is in use, and a service runs on this data folder` };
  return {
    ok: false,
    what: `${name} ${number} is in use by another program`,
    fix: `stop that program, or set ${name} to a free port`,
  };
}

async function folder(config: Config): Promise<Finding> {
  try {
    await access(config.dataDir, constants.W_OK);
    return { ok: true, what: `data folder ${config.dataDir} is writable` };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { ok: true, what: `data folder ${config.dataDir} will be created` };
    return {
      ok: false,
      what: `data folder ${config.dataDir} is not writable`,
      fix: 'set DATA_DIR to a writable folder',
    };
  }
}

function languageData(config: Config): Finding[] {
  const require = createRequire(import.meta.url);
  return config.ocr.language.split('+').map((code) => {
    try {
      require.resolve(`@tesseract.js-data/${code}/package.json`);
      return { ok: true, what: `OCR language data for ${code}` };
    } catch {
      return {
        ok: false,
        what: `OCR language data for ${code} is missing`,
        fix: `npm install @tesseract.js-data/${code}`,
      };
    }
  });
}

function settings(): void {
  const values = readEnv(process.env);
  print('\nSettings');
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const secret = 'secret' in env[name as keyof typeof env];
    const origin = process.env[name] === undefined ? '(default)' : '';
    print(`  ${name.padEnd(26)} ${secret ? '********' : String(value)} ${origin}`);
  }
}

function adapters(config: Config): void {
  print('\nParts');
  print(`  database    ${config.mongodbUri === null ? 'embedded engine' : 'MongoDB'}`);
  print('  objects     disk');
  print('  queue       database leases, in-process wake-up');
  print(
    `  models      ${config.models.openAiKey === null ? 'local (set OPENAI_API_KEY for remote ones)' : `OpenAI-compatible: ${config.models.visionModel}, ${config.models.embeddingModel}`}`,
  );
  print(`  OCR         tesseract.js, ${config.ocr.language}`);
}

async function run(): Promise<boolean> {
  const config = loadConfig(process.env);
  const running = (await readAddresses(config.dataDir)) !== null;
  const { ports, host } = config;
  const findings = [
    node(),
    await folder(config),
    await port('API_PORT', host, ports.api, running),
    await port('AGENTS_PORT', host, ports.agents, running),
    await port('MCP_PORT', host, ports.mcp, running),
    await port('OBJECTS_PORT', host, ports.objects, running),
    ...languageData(config),
  ];
  print(`Inkgraph ${version}\n\nChecks`);
  for (const { ok, what, fix } of findings)
    print(`  ${ok ? 'ok  ' : 'FAIL'} ${what}${fix === undefined ? '' : `\n       fix: ${fix}`}`);
  adapters(config);
  settings();
  return findings.every((finding) => finding.ok);
}

/** `npm run doctor`: checks this machine and shows the settings with masked secrets. Exits with 1 if a check fails. */
try {
  process.exitCode = (await run()) ? 0 : 1;
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  print(`FAIL ${error.message}`);
  process.exitCode = 1;
}
