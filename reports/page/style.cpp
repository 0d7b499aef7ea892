#include "reports/page/style.hpp"

namespace pageproof::page {

// No pattern is a gradient: printed to PDF, a few hundred squares of a repeating one are 200 MB.
// Shades of the map differ in lightness and in pattern, so that a grey print tells them apart as well.
const std::string_view kStyle = R"css(
:root{--ink:#1a1a1a;--soft:#5a5a5a;--line:#d8d6cf;--paper:#fffffb;--blue:#0072b2;--red:#d55e00}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:1.2rem 1rem 3rem;max-width:80rem;color:var(--ink);background:var(--paper);
 font:16px/1.45 "Source Sans 3","Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere;
 font-variant-numeric:tabular-nums lining-nums}
h1{font-size:1.35rem;margin:0 0 .2rem}
h2{font-size:1.15rem;margin:2.2rem 0 .4rem;padding-top:.5rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.2rem 0 .3rem}
h4{font-size:.92rem;margin:.9rem 0 .2rem;font-weight:600}
p,ul,ol{max-width:46rem;margin:.4rem 0}
nav{font-size:.88rem;margin:.7rem 0}
nav a{margin-right:.9rem;white-space:nowrap;display:inline-block;padding:.15rem 0}
a{color:#005a8e}
.soft,figcaption,caption,small{color:var(--soft)}
.verdict{border:2px solid var(--ink);padding:.7rem 1rem;margin:.8rem 0}
.verdict .word{font-size:1.9rem;font-weight:700;letter-spacing:.02em;line-height:1.1;margin:0}
.verdict.go{border-left:14px solid var(--blue)}
.verdict.no-go{border-left:14px solid var(--red)}
.verdict.inconclusive{border-left:14px double var(--soft)}
.simulated{font-weight:700;border-top:2px dashed var(--ink);border-bottom:2px dashed var(--ink);padding:.15rem 0}
.verdict ol{padding-left:1.3rem}
code,pre{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:.85em}
pre{white-space:pre-wrap;background:#f4f3ed;padding:.5rem .7rem;max-width:60rem}
.wide{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-size:.86rem;margin:.3rem 0}
caption{text-align:left;font-size:.86rem;padding-bottom:.15rem}
th,td{text-align:left;vertical-align:top;padding:.12rem .9rem .12rem 0;border-bottom:1px solid #eceae3}
th{font-weight:600;color:var(--soft);vertical-align:bottom}
th,td{overflow-wrap:normal}
td.n,th.n{text-align:right}
td.t{overflow-wrap:anywhere;min-width:9rem}
.maps{display:flex;flex-wrap:wrap;gap:.6rem 2rem;align-items:flex-start}
figure.map{max-width:100%;width:auto}
.map figcaption{font-weight:400;color:var(--soft);margin:0}
.map table{font-size:.82rem;margin:0;border-collapse:separate;border-spacing:2px}
.map th{padding:.1rem .4rem;border:0;text-align:center;white-space:nowrap}
.map th[scope=row]{text-align:right;vertical-align:middle}
.map td{padding:0;border:0;background:#f7f6f1}
.s{display:table-cell;min-width:3.1rem;height:2.5rem;text-align:center;vertical-align:middle;
 border:0!important;padding:0!important;line-height:1.1;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.s b{display:block;font-size:.95rem}
.s small{display:block;color:inherit;font-size:.7rem;white-space:nowrap}
.s.win,.s.pass,.s.decisive{background:#0072b2;color:#fff}
.s.loss,.s.fail{background:#f3b48a;color:#1a1a1a;border-left:5px solid #7a2e00!important}
.s.small{background:#cfe3ee;color:#1a1a1a}
.s.noisy{background:#f2e6a8;color:#1a1a1a;outline:2px dotted #7a6a00;outline-offset:-4px}
.s.null,.s.undecidable{background:#e6e5e0;color:#1a1a1a}
.s.open{background:#f2e6a8;color:#1a1a1a}
.s.missing,.s.insufficient,.s.kernel,.s.unreachable,.s.infeasible{background:#fff;color:#666;outline:1px dashed #bbb;outline-offset:-3px}
.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.4rem;font-size:.85rem;max-width:none}
.legend .s{display:inline-block;min-width:1.7rem;height:1.6rem;padding-top:.2rem!important;margin-right:.25rem}
.panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,23rem),1fr));gap:1rem 1.6rem;align-items:start}
figure{margin:0;max-width:26rem;break-inside:avoid}
figure img{display:block;width:100%;height:auto;background:#fff}
figcaption{font-size:.86rem;margin-bottom:.2rem;color:var(--ink);font-weight:600}
details{margin:.25rem 0}
summary{cursor:pointer;font-size:.86rem;color:#005a8e;padding:.2rem 0}
.absent{border:1px dashed #999;padding:.4rem .6rem;font-size:.88rem;max-width:46rem}
footer{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:.5rem;font-size:.82rem;color:var(--soft)}
@media print{
 @page{margin:14mm}
 body{max-width:none;padding:0;background:#fff;font-size:10.5pt}
 nav{display:none}
 details::details-content{content-visibility:visible;height:auto;display:block}
 figure:has(img) details{display:none}
 summary{list-style:none;color:var(--soft)}
 h2,h3,h4,figcaption,caption,summary{break-after:avoid}
 tr,figure img,.verdict,figure.map{break-inside:avoid}
 figure{break-inside:auto}
 .wide{overflow:visible}
 a{color:inherit;text-decoration:none}
 .panels{grid-template-columns:1fr 1fr}
}
)css";

}  // namespace pageproof::page
