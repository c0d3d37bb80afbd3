import type { BarChart } from './report.ts';

/** The colors of a chart, for a page's light or dark background. */
interface Palette {
  readonly text: string;
  readonly muted: string;
  readonly parley: string;
  readonly others: string;
}

export const PALETTES = {
  light: { text: '#1f2328', muted: '#59636e', parley: '#0969da', others: '#8c959f' },
  dark: { text: '#f0f6fc', muted: '#9198a1', parley: '#4493f8', others: '#656c76' },
} as const satisfies Readonly<Record<string, Palette>>;
export const PALETTE_NAMES = ['light', 'dark'] as const satisfies readonly (keyof typeof PALETTES)[];
export type PaletteName = (typeof PALETTE_NAMES)[number];

const WIDTH = 720;
const BARS_X = 260;
/** Leaves space for the value after the longest bar. */
const LONGEST = 340;
const TITLE_HEIGHT = 36;
const BAR_HEIGHT = 18;
const ROW_HEIGHT = 24;
const GROUP_GAP = 12;

/** Formats a value with its unit, with about three digits, or in dollars and cents. */
export const formatValue = (value: number, unit: string): string => {
  const digits = unit === '$' ? 2 : value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  const number = value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === '$' ? `$${number}` : `${number} ${unit}`;
};

/** Draws horizontal bars as SVG, each with its label and value. */
export const chartSvg = ({ title, unit, groups }: BarChart, paletteName: PaletteName): string => {
  const palette = PALETTES[paletteName];
  const largest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const lines: string[] = [];
  let y = TITLE_HEIGHT;
  for (const { label, bars } of groups) {
    lines.push(textAt(0, y + 13, label, `font-weight="600" fill="${palette.text}"`));
    for (const bar of bars) {
      const width = Math.max(1, Math.round((bar.value / largest) * LONGEST));
      const fill = bar.label === 'Parley' ? palette.parley : palette.others;
      if (bar.label !== '') {
        lines.push(textAt(BARS_X - 10, y + 13, bar.label, `text-anchor="end" fill="${palette.muted}"`));
      }
      lines.push(`<rect x="${BARS_X}" y="${y}" width="${width}" height="${BAR_HEIGHT}" rx="2" fill="${fill}"/>`);
      lines.push(textAt(BARS_X + width + 8, y + 13, formatValue(bar.value, unit), `fill="${palette.text}"`));
      y += ROW_HEIGHT;
    }
    y += GROUP_GAP;
  }
  const height = y - GROUP_GAP;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`,
    `  role="img" aria-labelledby="title description" font-family="system-ui, sans-serif" font-size="14">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(describeBars({ unit, groups }))}</desc>`,
    textAt(0, 16, title, `font-size="16" font-weight="600" fill="${palette.text}"`),
    ...lines,
    '</svg>',
    '',
  ].join('\n');
};

/** Returns a chart's values as a sentence per group. */
const describeBars = ({ unit, groups }: Pick<BarChart, 'unit' | 'groups'>): string =>
  groups
    .map(({ label, bars }) => {
      const values = bars.map((bar) => `${bar.label} ${formatValue(bar.value, unit)}`.trim());
      return `${label}: ${values.join(', ')}.`;
    })
    .join(' ');

const textAt = (x: number, y: number, text: string, attributes: string): string =>
  `<text x="${x}" y="${y}" ${attributes}>${escaped(text)}</text>`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
