import { useState } from 'react';
import { Copy } from '../../../parts/copy.tsx';
import { SelectField, TextField } from '../../../parts/field.tsx';
import { firstUpload as words } from '../../../text/first-upload.ts';

const clients = ['desktop', 'code', 'cursor', 'vscode', 'generic'] as const;
type Client = (typeof clients)[number];

/** The usual place of the MCP service: the third port on one machine, a path behind a proxy. Source: docs/guide/first-agent.md. */
const usualAddress = (): string =>
  location.port === '' ? `${location.origin}/mcp` : `${location.protocol}//${location.hostname}:3002/mcp`;

/** Settings that a program needs to connect. */
function configuration(client: Client, url: string): string {
  const servers = { inkgraph: { url } };
  switch (client) {
    case 'code':
      return `claude mcp add --transport http inkgraph ${url}`;
    case 'cursor':
      return JSON.stringify({ mcpServers: servers }, null, 2);
    case 'vscode':
      return JSON.stringify({ servers: { inkgraph: { type: 'http', url } } }, null, 2);
    default:
      return url;
  }
}

/** Ready settings for programs that speak MCP. */
export function ConnectAgent() {
  const [client, choose] = useState<Client>('desktop');
  const [url, setUrl] = useState(usualAddress);
  const text = configuration(client, url);
  return (
    <div className="grid gap-3">
      <p className="text-muted">{words.agent}</p>
      <SelectField
        label={words.clients}
        value={client}
        onChange={({ currentTarget: { value } }) => choose(clients.find((one) => one === value) ?? 'generic')}
      >
        {clients.map((one) => (
          <option key={one} value={one}>
            {words.clientNames[one]}
          </option>
        ))}
      </SelectField>
      <TextField
        label={words.agentAddress}
        hint={words.agentHint}
        type="url"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <p>{words.clientPlaces[client]}</p>
      <pre className="relative overflow-x-auto rounded-md border border-line bg-bg p-2 font-mono text-xs">{text}</pre>
      <div>
        <Copy text={text} label={words.copyClient} />
      </div>
    </div>
  );
}
