import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createOutbound, type OutboundOptions } from '#src/adapters/outbound/create-outbound.ts';
import { errorOf, startOutside } from '#test/support/servers/outside-server.ts';

const get = { method: 'GET', headers: {}, maxBytes: 1_000, timeoutMs: 5_000 } as const;
/** Stands for the names and connections of the internet: nothing leaves this machine. */
const elsewhere = (): never => {
  throw new Error('a connection was tried');
};
const isolated = (more: Partial<OutboundOptions> = {}): OutboundOptions => ({
  allow: [],
  mode: 'public',
  resolve: () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]),
  connect: elsewhere,
  ...more,
});

const refused: readonly (readonly [what: string, url: string])[] = [
  ['loopback', 'https://127.0.0.1/'],
  ['all of 127/8', 'https://127.9.9.9/'],
  ['loopback by name', 'https://localhost/'],
  ['a name under localhost', 'https://metadata.localhost/'],
  ['loopback by name with a dot', 'https://localhost./'],
  ['a whole number', 'https://2130706433/'],
  ['octal', 'https://0177.0.0.1/'],
  ['hexadecimal', 'https://0x7f.0.0.1/'],
  ['one hexadecimal number', 'https://0x7f000001/'],
  ['a short form', 'https://127.1/'],
  ['zero', 'https://0/'],
  ['the unspecified address', 'https://0.0.0.0/'],
  ['an address with a dot at its end', 'https://127.0.0.1./'],
  ['percent-encoded digits', 'https://%31%32%37.0.0.1/'],
  ['digits in circles', 'https://①②⑦.⓪.⓪.①/'],
  ['an ideographic full stop', 'https://127。0。0。1/'],
  ['private 10/8', 'https://10.0.0.5/'],
  ['private 172.16/12', 'https://172.31.255.254/'],
  ['private 192.168/16', 'https://192.168.1.1/'],
  ['shared 100.64/10', 'https://100.64.0.1/'],
  ['benchmarking 198.18/15', 'https://198.18.0.1/'],
  ['documentation', 'https://192.0.2.1/'],
  ['multicast', 'https://224.0.0.1/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['metadata', 'https://169.254.169.254/latest/meta-data/'],
  ['metadata as a whole number', 'https://2852039166/'],
  ['metadata of Azure, a public address', 'https://168.63.129.16/'],
  ['metadata of Alibaba', 'https://100.100.100.200/'],
  ['metadata by name', 'https://metadata.google.internal/computeMetadata/v1/'],
  ['metadata of containers', 'https://169.254.170.2/'],
  ['IPv6 loopback', 'https://[::1]/'],
  ['IPv6 unspecified', 'https://[::]/'],
  ['IPv4-mapped', 'https://[::ffff:127.0.0.1]/'],
  ['IPv4-mapped in hexadecimal', 'https://[::ffff:a9fe:a9fe]/'],
  ['IPv4-compatible', 'https://[::7f00:1]/'],
  ['IPv4-translated', 'https://[::ffff:0:7f00:1]/'],
  ['NAT64', 'https://[64:ff9b::7f00:1]/'],
  ['local NAT64', 'https://[64:ff9b:1::a9fe:a9fe]/'],
  ['6to4', 'https://[2002:7f00:1::]/'],
  ['Teredo', 'https://[2001:0:7f00:1::]/'],
  ['unique local', 'https://[fd00:ec2::254]/'],
  ['link-local', 'https://[fe80::1]/'],
  ['link-local with a zone', 'https://[fe80::1%25eth0]/'],
  ['site-local', 'https://[fec0::1]/'],
  ['IPv6 multicast', 'https://[ff02::1]/'],
  ['another scheme', 'file:///etc/passwd'],
  ['gopher', 'gopher://127.0.0.1:6379/_FLUSHALL'],
  ['ftp', 'ftp://example.com/'],
  ['plain http', 'http://example.com/'],
  ['plain http on the port of https', 'http://example.com:443/'],
  ['a user', 'https://example.com@127.0.0.1/'],
  ['a user and a password', 'https://a:b@example.com/'],
  ['a backslash', 'https://example.com\\@127.0.0.1/'],
  ['a hash before the at', 'https://example.com#@127.0.0.1:99999/\u0000'],
  ['a tab inside', 'https://127.0.0\t.1/'],
  ['a line break', 'https://example.com/\r\nHost: internal'],
  ['a space before', ' https://example.com/'],
  ['one slash', 'https:/127.0.0.1/'],
  ['no slashes', 'https:127.0.0.1'],
  ['three slashes', 'https:///127.0.0.1/'],
  ['another port', 'https://example.com:6379/'],
  ['port 0', 'https://example.com:0/'],
  ['a port beyond the last', 'https://example.com:65536/'],
  ['a bare name', 'https://intranet/'],
  ['a name of the local network', 'https://printer.local/'],
  ['a name of a cluster', 'https://db.svc.cluster.local/'],
  ['nothing', ''],
];

describe('86. calls to addresses that users name', () => {
  test.each(refused)('%s is refused before anything is sent: %j', async (_what, url) => {
    const outbound = createOutbound(isolated());
    expect(outbound.refuses(url)).toBeTypeOf('string');
    expect(await errorOf(outbound.send({ ...get, url }))).toMatch(/^outbound\.refused: The address cannot be called: /);
    // The operator's list for other hosts does not open this one.
    const listed = createOutbound(
      isolated({ mode: 'listed', allow: ['api.example.com', '*.example.org', '10.1.1.1:80'] }),
    );
    expect(listed.refuses(url)).toBeTypeOf('string');
  });

  test('an ordinary public address is not refused', () => {
    const outbound = createOutbound(isolated());
    for (const url of [
      'https://example.com/a?b#c',
      'https://8.8.8.8/',
      'https://[2606:4700::1111]:8443/',
      'https://xn--bcher-kva.example/',
    ])
      expect(outbound.refuses(url)).toBeNull();
  });

  test('only a line that names the very digits and port opens an address that is not public', () => {
    const check = (allow: string[], url: string) => createOutbound(isolated({ mode: 'listed', allow })).refuses(url);
    expect(check(['127.0.0.1:9000'], 'http://127.0.0.1:9000/')).toBeNull();
    expect(check(['[::1]:9000'], 'http://[::1]:9000/')).toBeNull();
    expect(check(['127.0.0.1:9000'], 'http://[::ffff:127.0.0.1]:9000/')).toBeTypeOf('string');
    expect(check(['127.0.0.1:9000'], 'http://127.0.0.1:9001/')).toBeTypeOf('string');
    expect(check(['127.0.0.1'], 'http://127.0.0.1/')).toBeTypeOf('string');
    expect(check(['127.0.0.1:9000'], 'http://2130706433:9000/')).toBeTypeOf('string');
    expect(check(['169.254.169.254:80'], 'http://169.254.169.254/')).toBeTypeOf('string');
    expect(check(['metadata.google.internal'], 'http://metadata.google.internal/')).toBeTypeOf('string');
  });

  test('in listed mode a host is called only when the list names it, by itself or by its domain', () => {
    const { refuses } = createOutbound(
      isolated({ mode: 'listed', allow: ['api.example.com', 'b.example.net:8080', '*.example.org'] }),
    );
    const open = [
      'https://api.example.com/',
      'http://API.example.com/x',
      'http://b.example.net:8080/',
      'https://a.b.example.org/',
    ];
    expect(open.map((url) => refuses(url))).toEqual(open.map(() => null));
    const shut = [
      'https://api.example.com:8443/',
      'https://b.example.net/',
      'https://example.org/',
      'https://evilexample.org/',
    ];
    for (const url of [...shut, 'https://api.example.com.evil.net/', 'https://other.example/'])
      expect(refuses(url)).toContain('OUTBOUND_ALLOW');
  });

  test.each([
    ['10.0.0.5'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::a9fe:a9fe'],
    ['168.63.129.16'],
    ['fe80::1%eth0'],
  ])('a public name that leads to %s is refused, also when that is one of several answers', async (address) => {
    const found = [
      { address: '93.184.216.34', family: 4 },
      { address, family: address.includes(':') ? 6 : 4 },
    ];
    for (const mode of ['listed', 'public'] as const) {
      const outbound = createOutbound(
        isolated({ mode, allow: ['example.com'], resolve: () => Promise.resolve(found) }),
      );
      expect(await errorOf(outbound.send({ ...get, url: 'https://example.com/' }))).toMatch(/^outbound\.refused: /);
    }
  });

  test('a name that is public when it is checked and leads here when it is called (DNS rebinding) reaches nothing', async () => {
    await using inside = await startOutside((_request, response) => response.end('secret'));
    const answers = ['93.184.216.34', '127.0.0.1'];
    const asked: string[] = [];
    const outbound = createOutbound({
      mode: 'listed',
      allow: [`example.com:${inside.port}`],
      resolve: (host) => {
        asked.push(host);
        return Promise.resolve([{ address: answers[asked.length - 1] ?? '127.0.0.1', family: 4 }]);
      },
    });
    const url = `http://example.com:${inside.port}/`;
    expect(await errorOf(outbound.send({ ...get, url }))).toMatch(/^outbound\.refused: .*not public/);
    expect(asked).toHaveLength(2);
    expect(inside.connections()).toBe(0);
  });

  test('a connection that ends up at another place than the lookup said is dropped before a byte is sent', async () => {
    await using inside = await startOutside((_request, response) => response.end('secret'));
    const outbound = createOutbound({
      ...isolated({ mode: 'listed', allow: [`example.com:${inside.port}`] }),
      connect: ((options: { signal: AbortSignal }) =>
        connect({ host: '127.0.0.1', port: inside.port, signal: options.signal })) as unknown as typeof connect,
    });
    const url = `http://example.com:${inside.port}/`;
    expect(await errorOf(outbound.send({ ...get, url }))).toMatch(/^outbound\.refused: .*not public/);
    expect(inside.received).toEqual([]);
  });

  test('a redirect to metadata is handed back and not followed', async () => {
    await using outside = await startOutside((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
    });
    const outbound = createOutbound({ mode: 'listed', allow: [outside.listed] });
    const answer = await outbound.send({ ...get, url: `${outside.url}/` });
    expect(answer).toMatchObject({ status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } });
    expect(outside.received).toHaveLength(1);
  });
});
