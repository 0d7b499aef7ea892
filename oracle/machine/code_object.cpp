#include "oracle/machine/code_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

namespace pageproof::machine {
namespace {

using nlohmann::json;

constexpr std::uint16_t kAmdGpu = 224;                          // e_machine
constexpr std::uint32_t kSymbols = 2, kNotes = 7, kNoBits = 8;  // section types
constexpr std::uint32_t kMetadataNote = 32;                     // NT_AMDGPU_METADATA
constexpr std::uint64_t kDescriptorBytes = 64;
constexpr std::uint64_t kMostCodeBytes = 1 << 20;  // of one kernel
constexpr std::uint64_t kMostArgumentBytes = 1 << 16;

struct Broken {
  std::string field;
  std::string value;
  std::string problem;
};
using Span = std::span<const std::byte>;

Span part(Span bytes, std::uint64_t from, std::uint64_t size, const char* field) {
  if (from > bytes.size() || size > bytes.size() - from) {
    throw Broken{field, fmt::format("[{}, +{}]", from, size),
                 fmt::format("ends beyond the {} bytes", bytes.size())};
  }
  return bytes.subspan(from, size);
}

template <class T>
T number(Span bytes, std::uint64_t at, const char* field) {
  T value;
  std::memcpy(&value, part(bytes, at, sizeof value, field).data(), sizeof value);
  return value;
}

struct Section {
  std::uint32_t type;
  std::uint64_t address;
  std::uint64_t offset;
  std::uint64_t size;
  std::uint32_t link;
};

struct Symbol {
  std::uint64_t address;
  std::uint64_t size;
};

std::vector<Section> sections_of(Span elf) {
  const auto table = number<std::uint64_t>(elf, 40, "e_shoff");
  const auto count = number<std::uint16_t>(elf, 60, "e_shnum");
  std::vector<Section> sections;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Span row = part(elf, table + 64 * i, 64, "section header");
    sections.push_back({number<std::uint32_t>(row, 4, "sh_type"), number<std::uint64_t>(row, 16, "sh_addr"),
                        number<std::uint64_t>(row, 24, "sh_offset"),
                        number<std::uint64_t>(row, 32, "sh_size"),
                        number<std::uint32_t>(row, 40, "sh_link")});
  }
  return sections;
}

// The bytes at an address of the loaded object.
Span loaded(Span elf, std::span<const Section> sections, std::uint64_t address, std::uint64_t size,
            const char* field) {
  for (const Section& s : sections) {
    if (s.type == kNoBits || s.address == 0 || address < s.address || address - s.address >= s.size) continue;
    return part(part(elf, s.offset, s.size, field), address - s.address, size, field);
  }
  throw Broken{field, fmt::format("{:#x}", address), "lies in no section"};
}

std::map<std::string, Symbol, std::less<>> symbols_of(Span elf, std::span<const Section> sections) {
  std::map<std::string, Symbol, std::less<>> symbols;
  for (const Section& s : sections) {
    if (s.type != kSymbols) continue;
    const Span rows = part(elf, s.offset, s.size, "symbol table");
    if (s.link >= sections.size()) throw Broken{"sh_link", std::to_string(s.link), "names no section"};
    const Span names = part(elf, sections[s.link].offset, sections[s.link].size, "string table");
    for (std::uint64_t at = 0; at + 24 <= rows.size(); at += 24) {
      const Span name =
          names.subspan(std::min<std::size_t>(number<std::uint32_t>(rows, at, "st_name"), names.size()));
      const auto end = std::ranges::find(name, std::byte{0});
      symbols[std::string(reinterpret_cast<const char*>(name.data()),
                          static_cast<std::size_t>(end - name.begin()))] = {
          number<std::uint64_t>(rows, at + 8, "st_value"), number<std::uint64_t>(rows, at + 16, "st_size")};
    }
  }
  return symbols;
}

json metadata_of(Span elf, std::span<const Section> sections) {
  for (const Section& s : sections) {
    if (s.type != kNotes) continue;
    const Span notes = part(elf, s.offset, s.size, "note section");
    for (std::uint64_t at = 0; at + 12 <= notes.size();) {
      const std::uint64_t name = (number<std::uint32_t>(notes, at, "n_namesz") + std::uint64_t{3}) / 4 * 4;
      const std::uint64_t size = number<std::uint32_t>(notes, at + 4, "n_descsz");
      if (number<std::uint32_t>(notes, at + 8, "n_type") == kMetadataNote) {
        const Span text = part(notes, at + 12 + name, size, "metadata note");
        json metadata =
            json::from_msgpack(reinterpret_cast<const std::uint8_t*>(text.data()),
                               reinterpret_cast<const std::uint8_t*>(text.data()) + text.size(), true, false);
        if (metadata.is_discarded()) throw Broken{"metadata note", "", "is no MessagePack"};
        return metadata;
      }
      at += 12 + name + (size + 3) / 4 * 4;
    }
  }
  throw Broken{"metadata note", "", "is missing"};
}

// EF_AMDGPU_MACH, of the targets whose instructions are modelled.
std::string target_of(std::uint32_t flags) {
  switch (flags & 0xff) {
    case 0x3f:
      return "gfx90a";
    case 0x4c:
      return "gfx942";
    case 0x4f:
      return "gfx950";
    default:
      throw Broken{"e_flags", fmt::format("{:#x}", flags), "names none of gfx90a, gfx942, gfx950"};
  }
}

template <class T>
T member(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw Broken{fmt::format("metadata {}", key), "", "is missing"};
  if constexpr (std::is_same_v<T, std::string>) {
    if (!found->is_string()) throw Broken{fmt::format("metadata {}", key), found->dump(), "is no text"};
  } else {
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() > UINT32_MAX) {
      throw Broken{fmt::format("metadata {}", key), found->dump(), "is no 32-bit number"};
    }
  }
  return found->get<T>();
}

const json& list(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array())
    throw Broken{fmt::format("metadata {}", key), "", "is no list"};
  for (const json& element : *found) {
    if (!element.is_object()) throw Broken{fmt::format("metadata {}", key), element.dump(), "is no map"};
  }
  return *found;
}

// The fields of the 64-byte descriptor that say how a wave starts.
void read_descriptor(Kernel& kernel, Span descriptor) {
  kernel.scratch_bytes += number<std::uint32_t>(descriptor, 4, "private_segment_fixed_size");
  const auto rsrc3 = number<std::uint32_t>(descriptor, 44, "compute_pgm_rsrc3");
  const auto rsrc1 = number<std::uint32_t>(descriptor, 48, "compute_pgm_rsrc1");
  const auto rsrc2 = number<std::uint32_t>(descriptor, 52, "compute_pgm_rsrc2");
  kernel.vector_registers = ((rsrc1 & 63) + 1) * 8;
  kernel.first_accumulator = std::min(((rsrc3 & 63) + 1) * 4, kernel.vector_registers);
  kernel.user_registers = rsrc2 >> 1 & 31;
  kernel.scratch_bytes += rsrc2 & 1;
  for (int axis = 0; axis < 3; ++axis) kernel.group_id[axis] = (rsrc2 >> (7 + axis) & 1) != 0;
  kernel.wants = number<std::uint16_t>(descriptor, 56, "kernel_code_properties") & 0x7f;
  // Arguments preloaded into registers would be one more thing to model.
  kernel.wants |= std::uint32_t{number<std::uint16_t>(descriptor, 58, "kernarg_preload")} << 16;
}

CodeObject read(Span elf) {
  constexpr std::string_view magic(
      "\x7f"
      "ELF\x02\x01",
      6);
  const Span head = part(elf, 0, 64, "ELF header");
  if (std::memcmp(head.data(), magic.data(), magic.size()) != 0 ||
      number<std::uint16_t>(elf, 18, "e_machine") != kAmdGpu) {
    throw Broken{"ELF header", "", "is not that of a 64-bit AMD code object"};
  }
  CodeObject object{target_of(number<std::uint32_t>(elf, 48, "e_flags")), {}};
  const std::vector<Section> sections = sections_of(elf);
  const auto symbols = symbols_of(elf, sections);
  const auto symbol = [&](const std::string& name) {
    const auto found = symbols.find(name);
    if (found == symbols.end()) throw Broken{"symbol", name, "is missing"};
    return found->second;
  };
  const json metadata = metadata_of(elf, sections);
  for (const json& entry : list(metadata, "amdhsa.kernels")) {
    Kernel kernel;
    kernel.name = member<std::string>(entry, ".name");
    kernel.kernarg_bytes = member<std::uint64_t>(entry, ".kernarg_segment_size");
    if (kernel.kernarg_bytes > kMostArgumentBytes) {
      throw Broken{"arguments of " + kernel.name, std::to_string(kernel.kernarg_bytes),
                   "are more bytes than a kernel takes"};
    }
    kernel.lds_bytes = member<std::uint64_t>(entry, ".group_segment_fixed_size");
    kernel.scratch_bytes = member<std::uint64_t>(entry, ".private_segment_fixed_size");
    kernel.most_work_items = member<std::uint32_t>(entry, ".max_flat_workgroup_size");
    for (const json& a : list(entry, ".args")) {
      kernel.arguments.push_back({member<std::uint32_t>(a, ".offset"), member<std::uint32_t>(a, ".size"),
                                  member<std::string>(a, ".value_kind")});
    }
    const std::uint64_t descriptor_address = symbol(member<std::string>(entry, ".symbol")).address;
    const Span descriptor = loaded(elf, sections, descriptor_address, kDescriptorBytes, "kernel descriptor");
    read_descriptor(kernel, descriptor);
    kernel.gfx940 = object.target != "gfx90a";
    const std::uint64_t code =
        descriptor_address + number<std::uint64_t>(descriptor, 16, "kernel_code_entry");
    const std::uint64_t size = symbol(kernel.name).size;
    if (size > kMostCodeBytes || size % 4 != 0)
      throw Broken{"code of " + kernel.name, std::to_string(size), "is no size of code"};
    const Span bytes = loaded(elf, sections, code, size, "kernel code");
    kernel.code.assign(bytes.begin(), bytes.end());
    object.kernels.push_back(std::move(kernel));
  }
  return object;
}

}  // namespace

Expected<CodeObject> read_code_object(std::span<const std::byte> elf, const std::string& name) {
  try {
    return read(elf);
  } catch (const Broken& broken) {
    return std::unexpected(Error{name, broken.field, broken.value, broken.problem});
  } catch (const json::exception& error) {
    return std::unexpected(Error{name, "metadata note", "", error.what()});
  }
}

}  // namespace pageproof::machine
