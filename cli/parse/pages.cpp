// The command line of what reads and writes pages: convert to schedule.
#include "cli/parse/command_line.hpp"

namespace pageproof::cli {

void add_convert(CommandLine& line) {
  static ConvertOptions o;
  CLI::App* sub =
      line.command(line.app, "convert", "convert the pages of a safetensors file into another page format",
                   "pageproof convert golden/foreign/bf16_B5_H3_N16_D128.safetensors -o planes.safetensors "
                   "--blocks 0,2-4");
  sub->add_option(
         "FILE", o.input,
         "safetensors: `standard` [B, H, N, 2D]; shuffled `k_plane` [B, H, D/x, N, x] and `v_plane` "
         "[B, H, N/x, D, x]; of any other format `pages` [B, H, N, 2D], or `k_plane` and `v_plane` [B, "
         "H, N, D], whose axes give the sizes and whose bytes lie as the format says. A metadata entry "
         "page_format, as convert writes it, must agree with --from")
      ->required();
  sub->add_option("-o,--output,OUTPUT", o.output, "the file to write")->required();
  sub->add_option("--from", o.from, "page format of FILE, a tag of `pageproof formats`")
      ->capture_default_str();
  sub->add_option("--to", o.to, "page format to write, a tag of `pageproof formats`")->capture_default_str();
  sub->add_option("--blocks", o.blocks,
                  "block ids to convert, as 0,3,5-9 (default: all); others are filled with 0xA5");
  sub->add_flag("--in-place", o.in_place,
                "land the pages as a READ would, then convert the landing into the same bytes (standard or "
                "standard-nhd to aiter-shuffled)");
  sub->add_option(
      "--rewrite", o.rewrite,
      "e4m3-to-e4m3fnuz: OCP e4m3 codes become e4m3fnuz codes of HALF the value, so the reader's scale must "
      "be twice the writer's. F8_E4M3 becomes F8_E4M3FNUZ; U8 stays U8");
  sub->add_flag("--keep-source", o.keep_source,
                "also write the source tensors, so that `check` can read the output (standard and shuffled)");
  number(sub, "--threads", o.threads, fmt::format("CPU threads, 1 to {}", kMostThreads))
      ->capture_default_str();
  line.runs(sub, [] { return convert(o); });
}

void add_check(CommandLine& line) {
  static CheckOptions o;
  CLI::App* sub =
      line.command(line.app, "check", "do k_plane and v_plane hold the same elements as standard?",
                   "pageproof check golden/foreign/bf16_B5_H3_N16_D128.safetensors");
  sub->add_option("FILE", o.input,
                  "safetensors with standard, k_plane and v_plane; slot_mapping (I64) says which slots were "
                  "written, the "
                  "others must hold the byte 0xA5")
      ->required();
  line.runs(sub, [] { return check(o); });
}

void add_identify(CommandLine& line) {
  static IdentifyOptions o;
  CLI::App* sub = line.command(
      line.app, "identify",
      "in which page format is a dump, given the same pages in a known one? Exit 0: a catalogue format (the "
      "expected one) maps REF onto FILE; 1: none does, or another; 2: bad input. Where both files hold "
      "block_ids (I64, one a block), blocks are matched by them; else by position",
      "pageproof identify golden/foreign/bf16_B5_H3_N16_D128.safetensors --against "
      "golden/foreign/bf16_B5_H3_N16_D128.safetensors --expect aiter-shuffled");
  sub->add_option("FILE", o.input,
                  "safetensors: `pages` of any shape (the bytes of a region as they lie), or `k_plane` and "
                  "`v_plane` of any shape; without those, `standard` taken as `pages`")
      ->required();
  sub->add_option(
         "--against", o.against,
         "REF: safetensors with the same pages as `standard` [B, H, N, 2D], shuffled `k_plane` [B, H, D/x, "
         "N, x] and `v_plane` [B, H, N/x, D, x], or any other format as `convert` writes it")
      ->required();
  sub->add_option(
      "--ref-format", o.reference_format,
      "page format of REF: of `pages` [B, H, N, 2D], or of `k_plane` and `v_plane` [B, H, N, D]; the "
      "axes give the sizes, the bytes lie as the format says. Needed where REF has these and no metadata "
      "entry page_format");
  sub->add_option("--expect", o.expected, "page format that FILE should have");
  sub->add_option("--threads", o.threads, "CPU threads")
      ->check(whole_number(kMostThreads))
      ->capture_default_str();
  line.runs(sub, [] { return identify(o); });
}

void add_formats(CommandLine& line) {
  static FormatsOptions o;
  CLI::App* sub = line.command(line.app, "formats", "the page formats, one line of digits each",
                               "pageproof formats --markdown");
  sub->add_flag("--markdown", o.markdown, "the table that a project can paste into its docs");
  line.runs(sub, [] { return formats(o); });
}

static void add_shape(CLI::App* sub, Shape& shape) {
  number(sub, "--heads", shape.heads, "H: KV heads on this rank")->required();
  number(sub, "--tokens", shape.tokens, "N: tokens of a block")->required();
  number(sub, "--head-dim", shape.head_dim, "D: elements of a head")->required();
  number(sub, "--element-bytes", shape.element_bytes, "e: 1 or 2")->required();
}

void add_offset(CommandLine& line) {
  static OffsetOptions o;
  CLI::App* sub =
      line.command(line.app, "offset", "the byte offset of one element, folded digit by digit",
                   "pageproof offset --format aiter-shuffled --heads 8 --tokens 16 --head-dim 128 "
                   "--element-bytes 2 --block 3 --side v --head 2 --token 5 --dim 7");
  sub->add_option("--format", o.format, "a tag of `pageproof formats`, or landing")->required();
  add_shape(sub, o.shape);
  number(sub, "--block", o.coordinate.block, "block id")->capture_default_str();
  sub->add_option_function<std::string>(
         "--side", [](const std::string& side) { o.coordinate.side = side == "k" ? Side::key : Side::value; },
         "k or v")
      ->required()
      ->transform(CLI::IsMember({"k", "v"}, CLI::ignore_case));
  number(sub, "--head", o.coordinate.head, "KV head")->required();
  number(sub, "--token", o.coordinate.token, "token within the block")->required();
  number(sub, "--dim", o.coordinate.dim, "element within the head")->required();
  line.runs(sub, [] { return offset(o); });
}

void add_view(CommandLine& line) {
  static ViewOptions o;
  CLI::App* sub = line.command(
      line.app, "view",
      "what a shuffle writer does to a view [B, N, H, D] of K or V, by its strides: is it a plane, where "
      "does a writer "
      "with dense offsets store, from which block on do 32-bit offsets wrap. Exit 0: a dense plane; 1: not; "
      "2: bad input",
      "pageproof view --heads 2 --tokens 16 --head-dim 256 --element-bytes 2 --strides 16384,512,256,1");
  add_shape(sub, o.shape);
  sub->add_option("--strides", o.strides, "block, token, head, dim: in elements, as torch prints them")
      ->required()
      ->delimiter(',')
      ->expected(4)
      ->check(whole_number(std::numeric_limits<std::uint64_t>::max()));
  line.runs(sub, [] { return view(o); });
}

void add_schedule(CommandLine& line) {
  static ScheduleOptions o;
  CLI::App* sub =
      line.command(line.app, "schedule", "what a conversion in place of a run of pages must hold at once",
                   "pageproof schedule --heads 8 --tokens 16 --head-dim 128 --element-bytes 2 --pages 4");
  add_shape(sub, o.shape);
  number(sub, "--pages", o.pages, "m: consecutive pages that landed in halves of the run")
      ->capture_default_str();
  line.runs(sub, [] { return schedule(o); });
}

}  // namespace pageproof::cli
