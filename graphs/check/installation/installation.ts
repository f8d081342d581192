import { destinationOf, type Destination } from '#src/domain/access/secret-hosts.ts';
import type { InstallationFacts } from '#graphs/check/installation/facts.ts';
import { serverUrlsOf } from '#graphs/models/server-tools.ts';
import { fields, members } from '#graphs/check/outline.ts';

/** Abilities of this installation, as its operator configured it. */
export interface Installation {
  /** Label of the chat model; null: none is configured. */
  readonly chatModel: string | null;
  /** Label of the remote segmentation engine; null: none is configured. */
  readonly segmenter: string | null;
  /** Hosts that `http` nodes may call, as the operator lists them. */
  readonly hosts: readonly string[];
  /** Language codes that OCR has data for now. */
  languages(): readonly string[];
  /** Reason why an address cannot be called; null if it may be. */
  refuses(url: string): string | null;
}

function addressText({ secure, host, port }: Destination): string {
  return `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}/`;
}

/** Facts about the addresses and languages that a graph names. `raw` is any JSON. */
export function installationFacts(installation: Installation, raw: unknown): InstallationFacts {
  const configs = members(fields(raw)['nodes']).map(([, node]) => fields(fields(node)['config']));
  const refused = new Map<string, string>();
  for (const url of configs.flatMap((config) => [config['url'], ...serverUrlsOf(config)])) {
    const to = typeof url === 'string' ? destinationOf(url) : null;
    const reason = to === null ? null : installation.refuses(addressText(to));
    if (reason !== null) refused.set(String(url), reason);
  }
  const { chatModel, segmenter, hosts } = installation;
  const named = configs.some(({ language }) => typeof language === 'string');
  return { chatModel, segmenter, hosts, languages: named ? installation.languages() : [], refused };
}
