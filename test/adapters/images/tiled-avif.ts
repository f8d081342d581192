import sharp from 'sharp';

const uint = (value: number, length = 4): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
};
const box = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([uint(body.length + 8), Buffer.from(type, 'latin1'), body]);
};
const versioned = (type: string, version: number, ...parts: Buffer[]): Buffer =>
  box(type, uint(version, 1), uint(0, 3), ...parts);

/**
 * An AVIF of about 500 bytes: a white page of `side` x `side` pixels, put together of `across` x `across` tiles. All are one tile, which the
 * file has once. Source: ISO/IEC 23008-12 §6.6.2.3.
 */
export async function tiledAvif(side: number, across: number, tileSide = side / across): Promise<Buffer> {
  const white = { create: { width: tileSide, height: tileSide, channels: 3, background: '#ffffff' } } as const;
  const tile = await sharp(white).avif({ effort: 0 }).toBuffer();
  const pixels = tile.subarray(tile.indexOf('mdat') + 4);
  const taken = (type: string): Buffer => {
    const at = tile.indexOf(type) - 4;
    return tile.subarray(at, at + tile.readUInt32BE(at));
  };
  const [page, part] = [uint(1, 2), uint(2, 2)];
  const grid = Buffer.concat([
    uint(0, 1),
    uint(1, 1),
    uint(across - 1, 1),
    uint(across - 1, 1),
    uint(side),
    uint(side),
  ]);
  const named = (item: Buffer, type: string): Buffer =>
    versioned('infe', 2, item, uint(0, 2), Buffer.from(`${type}\0`, 'latin1'));
  const placed = (item: Buffer, at: number, length: number): Buffer =>
    Buffer.concat([item, uint(0, 2), uint(1, 2), uint(at), uint(length)]);
  const tiles = Array.from({ length: across ** 2 }, () => part);
  const size = (pixelsOfSide: number): Buffer => versioned('ispe', 0, uint(pixelsOfSide), uint(pixelsOfSide));
  const properties = box('ipco', taken('av1C'), size(tileSide), size(side), taken('pixi'));
  const associations = versioned('ipma', 0, uint(2), page, Buffer.from([2, 3, 4]), part, Buffer.from([3, 0x81, 2, 4]));
  const type = taken('ftyp');
  const meta = (start: number): Buffer =>
    versioned(
      'meta',
      0,
      taken('hdlr'),
      versioned('pitm', 0, page),
      versioned('iinf', 0, uint(2, 2), named(page, 'grid'), named(part, 'av01')),
      versioned('iref', 0, box('dimg', page, uint(tiles.length, 2), ...tiles)),
      box('iprp', properties, associations),
      versioned(
        'iloc',
        0,
        Buffer.from([0x44, 0]),
        uint(2, 2),
        placed(page, start, grid.length),
        placed(part, start + grid.length, pixels.length),
      ),
    );
  const start = type.length + meta(0).length + 8;
  return Buffer.concat([type, meta(start), box('mdat', grid, pixels)]);
}
