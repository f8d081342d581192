import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tryBucket } from '#app/compose/objects.ts';
import { readAddresses } from '#app/compose/addresses.ts';
import { hasHeicPackage } from '#src/adapters/images/heif/package.ts';
import { missingSentencePackages } from '#src/adapters/models/local/semantic/packages.ts';
import { semanticLabel } from '#src/adapters/models/local/semantic/semantic-embedder.ts';
import { addedLanguagesFolder, installedLanguages, missingLanguages } from '#src/adapters/ocr/tesseract-languages.ts';
import { anyLanguage } from '#src/domain/documents/languages/choose.ts';
import { heicPackage } from '#src/domain/documents/heif-brand.ts';
import { loadConfig, type Config } from '#src/config/config.ts';
import { ConfigError, env, readEnv } from '#src/config/env.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { databaseFindings } from '#scripts/cli/database-findings.ts';
import type { Finding } from '#scripts/cli/finding.ts';
import { keyFindings } from '#scripts/cli/key-findings.ts';
import { redisFindings } from '#scripts/cli/redis-finding.ts';
import { orExplain } from '#scripts/cli/with-app.ts';
import { version } from '#src/config/version.ts';

const usage = helpText({
  usage: 'npm run doctor',
  does: 'Checks the machine and the settings, says what to do, and lists all settings. Ends with 1 when a check fails.',
  environment: [['DATA_DIR', 'data folder to look at; default: ./data']],
  examples: ['npm run doctor', 'DATA_DIR=/srv/inkgraph npm run doctor'],
});

type Print = (line: string) => void;

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

interface Listening {
  readonly name: 'API_PORT' | 'AGENTS_PORT' | 'MCP_PORT' | 'OBJECTS_PORT';
  readonly port: number;
  /** Address that the services of this data folder published; null: none runs. */
  readonly published: string | undefined;
}

async function isFree(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const probe = createServer();
  probe.once('error', () => resolve(false));
  probe.listen(port, host, () => probe.close(() => resolve(true)));
  return promise;
}

/** True when Inkgraph responds: its services name themselves, and its object store says where objects are. */
async function isInkgraph(host: string, port: number): Promise<boolean> {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  try {
    const response = await fetch(`http://${name}:${port}/health`, { signal: AbortSignal.timeout(2_000) });
    const body: unknown = await response.json();
    if (typeof body !== 'object' || body === null) return false;
    return 'service' in body || ('type' in body && String(body.type).startsWith('urn:inkgraph:'));
  } catch {
    // No HTTP, no JSON, or no answer: another program.
    return false;
  }
}

async function portOf(host: string, { name, port: number, published }: Listening): Promise<Finding> {
  if (number === 0) return { ok: true, what: `${name}: any free port` };
  if (await isFree(host, number)) return { ok: true, what: `${name} ${number} is free` };
  const ours = await isInkgraph(host, number);
  if (ours && published !== undefined && new URL(published).port === String(number))
    return { ok: true, what: `${name} ${number} is in use by Inkgraph, which runs on this data folder` };
  const user = ours ? 'an Inkgraph on another data folder' : 'another program';
  return {
    ok: false,
    what: `${name} ${number} is in use by ${user}`,
    fix: `stop it, or set ${name} to a free port`,
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

function languageData({ ocr, dataDir }: Config): Finding[] {
  const added = addedLanguagesFolder(dataDir);
  if (ocr.language === anyLanguage) {
    const installed = installedLanguages(added).map(({ code }) => code);
    return [{ ok: true, what: `OCR finds out the language of each document: ${installed.join(', ')}` }];
  }
  const missing = missingLanguages(ocr.language, added);
  return ocr.language
    .split('+')
    .map((code) =>
      missing.includes(code)
        ? { ok: false, what: `OCR language data for ${code} is missing`, fix: `npm run languages -- add ${code}` }
        : { ok: true, what: `OCR language data for ${code}` },
    );
}

function sentencePackages({ models }: Config): Finding[] {
  if (models.embeddings === 'lexical') return [];
  const missing = missingSentencePackages();
  if (missing.length === 0) return [{ ok: true, what: `packages of ${semanticLabel} are installed` }];
  const fix = `npm install --save-exact ${missing.join(' ')}, or unset EMBEDDINGS`;
  return [{ ok: false, what: `EMBEDDINGS=semantic: optional packages are missing`, fix }];
}

/** Decoder of HEIC, an optional package. */
function heicDecoder(): Finding {
  const { name, version: tried } = heicPackage;
  if (hasHeicPackage()) return { ok: true, what: `HEIC is accepted: ${name} is installed` };
  return { ok: true, what: 'HEIC is refused', fix: `npm install --save-exact ${name}@${tried}, to accept it` };
}

/** Rules of the bucket that its service did not let Inkgraph set. */
const wantedRules = {
  lifecycle:
    'nothing to do: Inkgraph removes uploads that were never acknowledged. A lifecycle rule for the prefix uploads/ does it without it',
  cors: 'nothing to do without uploads from web pages; else allow PUT, GET and HEAD with all headers from their origins',
} as const;

/** The bucket, tried with two small objects. */
async function bucketOf(config: Config): Promise<Finding[]> {
  if (config.s3 === null) return [];
  const { bucket } = config.s3;
  try {
    const abilities = await tryBucket(config, config.s3);
    const able = Object.entries(abilities).flatMap(([name, can]) => (can ? [name] : []));
    const unset = (['lifecycle', 'cors'] as const).filter((name) => !abilities[name]);
    return [
      { ok: true, what: `bucket ${bucket} stores, copies and deletes objects (${able.join(', ')})` },
      ...unset.map((name) => ({ ok: true, what: `bucket ${bucket} has no ${name} rule`, fix: wantedRules[name] })),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ ok: false, what: error.message, fix: 'correct the S3_ variables, or the rights of their key' }];
  }
}

function settings(source: Terminal['env'], print: Print): void {
  const values = readEnv(source);
  print('\nSettings');
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const secret = 'secret' in env[name as keyof typeof env];
    const origin = source[name] === undefined ? '(default)' : '';
    const text = value instanceof Object && !Array.isArray(value) ? JSON.stringify(value) : String(value);
    print(`  ${name.padEnd(26)} ${secret ? '********' : text} ${origin}`);
  }
}

function adapters(config: Config, print: Print): void {
  print('\nParts');
  print(`  database    ${config.mongodbUri === null ? 'embedded engine' : 'MongoDB'}`);
  print(`  objects     ${config.s3 === null ? 'disk' : `S3, bucket ${config.s3.bucket}`}`);
  print(`  queue       database leases, ${config.redisUrl === null ? 'in-process wake-up' : 'wake-up through Redis'}`);
  print(
    `  models      ${config.models.openAiKey === null ? 'local (set OPENAI_API_KEY for remote ones)' : `OpenAI-compatible: ${config.models.visionModel}, ${config.models.embeddingModel}`}`,
  );
  const { embeddings, openAiKey } = config.models;
  if (embeddings === 'semantic' || openAiKey === null) print(`  embeddings  local, ${embeddings}`);
  print(`  OCR         tesseract.js, ${config.ocr.language}`);
}

/** `npm run doctor`: checks this machine and shows the settings with masked secrets. Exits with 1 if a check fails. */
export const doctor = withHelp(usage, async (terminal) => {
  const { env: source, out } = terminal;
  const print: Print = (line) => out(`${line}\n`);
  const config = loadConfig(source);
  const published = await readAddresses(config.dataDir);
  const { ports, host } = config;
  const findings = [
    node(),
    await folder(config),
    await portOf(host, { name: 'API_PORT', port: ports.api, published: published?.api }),
    await portOf(host, { name: 'AGENTS_PORT', port: ports.agents, published: published?.agents }),
    await portOf(host, { name: 'MCP_PORT', port: ports.mcp, published: published?.mcp }),
    ...(config.s3 === null
      ? [await portOf(host, { name: 'OBJECTS_PORT', port: ports.objects, published: published?.objects })]
      : []),
    ...(await bucketOf(config)),
    ...languageData(config),
    ...sentencePackages(config),
    heicDecoder(),
    ...(await keyFindings(terminal, config)),
    ...(await databaseFindings(config)),
    ...(await redisFindings(config.redisUrl)),
    ...config.warnings.map((what) => ({ ok: false, what, fix: 'correct or unset it' })),
  ];
  print(`Inkgraph ${version}\n\nChecks`);
  for (const { ok, what, fix } of findings)
    print(`  ${ok ? 'ok  ' : 'FAIL'} ${what}${fix === undefined ? '' : `\n       fix: ${fix}`}`);
  adapters(config, print);
  settings(source, print);
  return findings.every((finding) => finding.ok) ? undefined : 1;
});

if (import.meta.main) await orExplain(doctor);
