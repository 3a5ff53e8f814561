/**
 * Colours for light and dark, and everything that looks alike. What is critical differs in colour and in pattern: hatched bars, and thicker lines. The
 * selectors begin with the class of the picture, because a page can contain it.
 */
export const GANTT_STYLE = `
.gantt{--paper:#fff;--ink:#1f2937;--quiet:#5b6675;--grid:#d5dae1;--shade:#eceff3;--bar:#3f74b8;--critical:#b42318;font:12px system-ui,sans-serif;color-scheme:light dark}
@media (prefers-color-scheme:dark){.gantt{--paper:#14181f;--ink:#e6e9ee;--quiet:#a3adba;--grid:#333c49;--shade:#1f2630;--bar:#7aa7e0;--critical:#ff8f80}}
.gantt text{fill:var(--ink)}
.gantt .paper{fill:var(--paper)}
.gantt .shade{fill:var(--shade)}
.gantt .grid{stroke:var(--grid);fill:none}
.gantt .guide{stroke:var(--grid);stroke-width:.6;fill:none}
.gantt .heading{font-size:16px;font-weight:600}
.gantt .axis text,.gantt .legend text,.gantt .note{fill:var(--quiet);font-size:11px}
.gantt .label{clip-path:url(#gantt-labels)}
.gantt .phase text{font-weight:600}
.gantt .milestone text{font-style:italic}
.gantt .span{fill:none;stroke:var(--ink);stroke-width:2}
.gantt .bar{fill:var(--bar)}
.gantt .diamond{fill:var(--ink);stroke:var(--paper)}
.gantt .due{stroke:var(--quiet);stroke-width:2;stroke-dasharray:3 2}
.gantt .line{stroke:var(--bar);fill:none}
.gantt .tick{stroke:var(--bar);stroke-width:3;fill:none}
.gantt .band{fill:url(#gantt-dense)}
.gantt .arrow{fill:none;stroke:var(--quiet)}
.gantt .critical .bar{fill:url(#gantt-hatch);stroke:var(--critical);stroke-width:1.5}
.gantt .critical .line{stroke:var(--critical);stroke-dasharray:4 2}
.gantt .critical .tick{stroke:var(--critical);stroke-width:4}
.gantt .critical .band{fill:url(#gantt-dense-critical)}
.gantt .critical .diamond{fill:var(--critical)}
.gantt .arrow.critical{stroke:var(--critical);stroke-width:2}
`.trim();

const buildHead = (id: string, colour: string) =>
  `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="var(${colour})"/></marker>`;
const buildPattern = (id: string, width: number, content: string) =>
  `<pattern id="${id}" width="${width}" height="${width}" patternUnits="userSpaceOnUse"${id === 'gantt-hatch' ? ' patternTransform="rotate(45)"' : ''}>${content}</pattern>`;

/** Patterns and heads of arrows. */
export const GANTT_DEFINITIONS = [
  buildPattern(
    'gantt-hatch',
    6,
    '<rect width="6" height="6" fill="var(--paper)"/><rect width="3" height="6" fill="var(--critical)"/>',
  ),
  buildPattern('gantt-dense', 4, '<rect width="2" height="4" fill="var(--bar)"/>'),
  buildPattern('gantt-dense-critical', 4, '<rect width="3" height="4" fill="var(--critical)"/>'),
  buildHead('gantt-head', '--quiet'),
  buildHead('gantt-head-critical', '--critical'),
].join('');
